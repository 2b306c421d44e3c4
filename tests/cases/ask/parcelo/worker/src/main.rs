/// Takes jobs from the queue until it is told to stop.
#[tokio::main]
async fn main() {
    let threads = std::env::var("WORKER_THREADS").unwrap_or("4".into());
    println!("worker with {threads} jobs at a time");
}
