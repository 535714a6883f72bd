//! The server's two bugs, and the mended server.

use cct::actor::Runtime;
use replication::Variant;
use replication::harness::run;

/// One value is enough: three reports of a single node are taken for three replicas.
#[cct::test(max_steps = 2000)]
fn a_server_that_counts_reports_acknowledges_too_early(runtime: &Runtime) {
    run(runtime, Variant::CountsReports, 1);
}

/// The second value is never acknowledged.
#[cct::test(max_steps = 2000)]
fn a_server_that_keeps_replicas_stops_acknowledging(runtime: &Runtime) {
    run(runtime, Variant::KeepsReplicas, 2);
}

#[cct::test(max_steps = 2000)]
fn a_mended_server_acknowledges_what_is_replicated(runtime: &Runtime) {
    run(runtime, Variant::Mended, 2);
}
