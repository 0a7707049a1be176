import { spawn } from 'node:child_process';
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { connect } from './connection.ts';
import { openTab, type Tab, type TabOptions } from './tab.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];
const KILL_AFTER_MS = 5_000;

/** The Chromium of this machine; undefined where there is none. */
export const CHROMIUM = (process.env['PATH'] ?? '')
  .split(delimiter)
  .flatMap((folder) => NAMES.map((name) => join(folder, name)))
  .find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

/** For the name of a test that needs a browser, so that its being skipped explains itself. */
export const NEEDS_CHROMIUM =
  CHROMIUM === undefined ? ' (skipped: no Chromium on this machine; "apt-get install chromium")' : '';

/** A running Chromium with a profile of its own. */
export type Browser = {
  /** Opens an address in a new tab. Resolves once the page has loaded. */
  open(url: string, options?: TabOptions): Promise<Tab>;
  /** Ends the process and removes the profile. */
  close(): Promise<void>;
};

const OPTIONS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--hide-scrollbars',
  '--mute-audio',
  // A mouse, as where a window is.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--autoplay-policy=no-user-gesture-required',
  '--remote-debugging-pipe',
  // It looks up services of its own at every start otherwise.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium. Rejects where there is none. */
export async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('There is no Chromium on this machine');
  const profile = mkdtempSync(join(tmpdir(), 'parley-browser-'));
  const child = spawn(CHROMIUM, [...OPTIONS, `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => void child.once('close', () => resolve()));
  const failed = new Promise<never>((_, reject) => void child.once('error', reject));
  failed.catch(() => undefined);
  const connection = connect(child.stdio[3], child.stdio[4]);
  const close = async (): Promise<void> => {
    connection.close();
    child.kill();
    const kill = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(kill);
    rmSync(profile, { recursive: true, force: true, maxRetries: 3 });
  };
  try {
    await Promise.race([connection.send('Browser.getVersion'), failed]);
  } catch (error) {
    await close();
    throw error;
  }
  return { open: (url, options) => openTab(connection, url, options), close };
}
