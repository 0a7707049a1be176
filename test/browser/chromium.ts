import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';
import { openTab, type Tab, type TabOptions } from './tab.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

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

/** What Chromium does beside showing pages. */
const DISABLED_FEATURES = [
  // Two pages behind the address bar, loaded for each window: half of the processor time of opening a page.
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  // Of Playwright's list, which this one replaces, what concerns pages on loopback.
  'DestroyProfileOnBrowserClose',
  'DialMediaRouteProvider',
  'GlobalMediaControls',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'ThirdPartyStoragePartitioning',
  'Translate',
];

const ARGUMENTS = [
  '--disable-gpu',
  '--mute-audio',
  // A mouse, as where a window is.
  '--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4',
  '--autoplay-policy=no-user-gesture-required',
  `--disable-features=${DISABLED_FEATURES.join()}`,
];

/** Starts Chromium with Playwright. Rejects where there is none. */
export async function startBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('There is no Chromium on this machine');
  // The tests run as root in containers, where Chromium's sandbox does not start.
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ARGUMENTS,
    chromiumSandbox: false,
    handleSIGINT: false,
    handleSIGTERM: false,
    handleSIGHUP: false,
  });
  return { open: (url, options) => openTab(browser, url, options), close: () => browser.close() };
}
