import type { Browser } from '../browser/chromium.ts';
import type { Tab, TabOptions } from '../browser/tab.ts';

/** Opens a page of a simulator. Resolves once it shows the simulator's data. */
export async function openPage(browser: Browser, url: string, options?: TabOptions): Promise<Tab> {
  const tab = await browser.open(url, options);
  await tab.until(`document.querySelector('#app:not([aria-busy])')`);
  return tab;
}
