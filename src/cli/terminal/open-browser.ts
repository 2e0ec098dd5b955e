// Opens an address in the browser of the person at this machine.
import { spawn } from 'node:child_process';

/** A system that has not failed by then is opening the page: some wait until the browser is closed. */
const failsWithinMs = 3_000;

/** The program that opens addresses on a system, with its first arguments. */
export function browserCommand(platform: NodeJS.Platform): readonly [string, ...string[]] {
  if (platform === 'darwin') return ['open'];
  return platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
}

/** Whether the system took the address. `env`: default is that of the process. */
export async function openBrowser(
  url: string,
  platform: NodeJS.Platform,
  env?: Readonly<Record<string, string | undefined>>,
): Promise<boolean> {
  const [program, ...args] = browserCommand(platform);
  return await new Promise<boolean>((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true, ...(env && { env }) });
    const timer = setTimeout(() => end(true), failsWithinMs);
    const end = (isOpened: boolean): void => {
      clearTimeout(timer);
      child.unref();
      resolve(isOpened);
    };
    child.on('error', () => end(false));
    child.on('exit', (code) => end(code === 0));
  });
}
