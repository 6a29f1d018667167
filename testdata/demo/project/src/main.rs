fn main() {
    let config = load().expect("a configuration");
    let first = config.lines().next().unwrap();
    println!("{first}");
}
