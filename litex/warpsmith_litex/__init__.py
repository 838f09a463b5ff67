"""Warpsmith's GPU as a LiteX module, and SoCs around it: docs/soc.md of the project."""

from warpsmith_litex.core import Warpsmith, add_warpsmith

__all__ = ["Warpsmith", "add_warpsmith"]
