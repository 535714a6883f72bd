//! A replicated value, after the example in the paper on P#: a client writes a value, a server keeps it on three nodes, and answers
//! once each has it.
