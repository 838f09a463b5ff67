//! Tests of the sanitizer on whole programs.

mod seeded;
