//! Which tests: of each runtime, and of what makes its schedules depend on time, chance or threads.

/// Programs of `tests/registry/async`, and their tests.
pub(crate) const TESTS: [&str; 20] = [
    "async_std readers_see_whole_writes",
    "futures a_lock_excludes",
    "futures a_pool_runs_all",
    "futures a_selection_takes_what_is_ready",
    "services a_buffered_service_is_shared",
    "services requests_share_a_connection",
    "smol an_executor_runs_on_threads_of_ones_own",
    "smol locks_exclude",
    "tokio_sync a_mutex_excludes_across_awaits",
    "tokio_sync a_selection_takes_either_branch",
    "tokio_tasks a_local_set_runs_what_is_not_send",
    "tokio_tasks a_set_joins_in_any_order",
    "tokio_tasks a_task_is_aborted_or_finishes",
    "tokio_tasks blocking_work_has_threads_of_its_own",
    "tokio_tasks many_threads_run_all_tasks",
    "tokio_tasks tasks_of_one_thread_never_overlap",
    "tokio_time a_paused_clock_lets_tasks_finish_first",
    "tokio_time sleeps_end_in_their_order",
    "tokio_util lines_go_through_a_pipe",
    "tokio_util work_ends_when_it_is_cancelled",
];
