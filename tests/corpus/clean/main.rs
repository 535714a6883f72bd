//! Holds under every schedule.

mod answered;
mod barrier_generations;
mod bounded_queue;
mod compare_exchange_counter;
mod counted;
mod dekker;
mod disconnect;
mod double_checked;
mod ordered_locks;
mod park_for_a_flag;
mod peterson;
mod philosophers;
mod polls;
mod reference_count;
mod reserved_room;
mod semaphore;
mod seqlock;
mod sleeping_barber;
mod smokers;
mod tagged_stack;
mod ticket_lock;
mod timeout_and_signal;
mod work_stealing;
