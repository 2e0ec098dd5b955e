// Whether an address is reached from this machine only.

/** Whether a listening address is reached from this machine only. Any name but `localhost` may mean another machine. */
export function isLoopback(host: string): boolean {
  return /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host);
}
