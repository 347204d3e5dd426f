//! Walls around agents, put up on this machine: looking for programs, trying them, and driving the one
//! that has to be driven. Which of them it is to be, and how they are called: the crate `walls`.

pub mod docker;
