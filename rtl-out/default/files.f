warpsmith.v
