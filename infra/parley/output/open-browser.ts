import { spawn } from 'node:child_process';

/** Opens an address in the browser. Nothing happens where there is none: the address has to be printed too. */
export function openBrowser(url: string): void {
  const [command, args] =
    process.platform === 'darwin'
      ? ['open', [url]]
      : process.platform === 'win32'
        ? ['explorer', [url]]
        : ['xdg-open', [url]];
  const child = spawn(command, args, { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}

/** Whether this machine can show a browser: not over SSH, and not on Linux without a desktop. */
export function hasBrowser(
  env: Readonly<Record<string, string | undefined>>,
  platform: string = process.platform,
): boolean {
  if (env['SSH_CONNECTION']) return false;
  return platform === 'darwin' || platform === 'win32' || Boolean(env['DISPLAY'] ?? env['WAYLAND_DISPLAY']);
}
