export async function memory() { return { results: [], differences: [], missing: ["memory"] }; }
