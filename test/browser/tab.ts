import type { Browser, Page } from 'playwright-core';

export type TabOptions = {
  /** In CSS pixels; 1,280 by 800 unless told. */
  readonly width?: number;
  readonly height?: number;
  /** What the system prefers; light unless told. */
  readonly scheme?: 'light' | 'dark';
};

/** A tab, and what a person does in it. Expressions are JavaScript of the page; they may be promises. */
export type Tab = {
  /** The page, for everything else that Playwright can do. */
  readonly page: Page;
  /** The value of an expression, as JSON gives it. Rejects when it throws. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves with the first true value of an expression, asked again and again. Rejects after two minutes, saying what it waited for. */
  until(expression: string): Promise<unknown>;
  /** Moves the pointer onto the middle of the first such element, scrolling to it first. Waits until it is there and visible. */
  hover(selector: string): Promise<void>;
  /** Presses the left button there. */
  click(selector: string): Promise<void>;
  /** Writes into what has the focus. */
  type(text: string): Promise<void>;
  /** Presses a key: `Enter`, `Tab`, `Escape`, `a`; with Shift if told. */
  press(key: string, shift?: boolean): Promise<void>;
  /** Chooses files in an `<input type=file>`. */
  chooseFiles(selector: string, paths: readonly string[]): Promise<void>;
  resize(width: number, height: number): Promise<void>;
  /** A picture (PNG) of what can be seen. */
  screenshot(): Promise<Buffer>;
  /** What the page wrote to the console as errors, and what it threw, oldest first. */
  readonly errors: readonly string[];
  /** The addresses that the page has asked for, oldest first. */
  readonly requests: readonly string[];
  close(): Promise<void>;
};

/** Ends a test that hangs, also on a machine that does much else. */
const TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 20;

/** Opens an address in a window of its own. Resolves once the page has loaded. */
export async function openTab(browser: Browser, url: string, options: TabOptions = {}): Promise<Tab> {
  const { width = 1_280, height = 800, scheme = 'light' } = options;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: scheme });
  page.setDefaultTimeout(TIMEOUT_MS);
  const errors: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => errors.push(error.stack ?? error.message));
  page.on('console', (line) => line.type() === 'error' && errors.push(line.text()));
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  return { page, errors, requests, ...createActions(page) };
}

function createActions(page: Page): Omit<Tab, 'page' | 'errors' | 'requests'> {
  return {
    evaluate: (expression) => page.evaluate<unknown>(expression),
    async until(expression) {
      // Not waitForFunction: it compiles the expression again and again, which the policy of our pages (CSP) forbids.
      const value = await page.evaluate<unknown>(`(async () => {
        for (const end = performance.now() + ${TIMEOUT_MS}; performance.now() < end; ) {
          const value = await (${expression});
          if (value) return value;
          await new Promise((resolve) => setTimeout(resolve, ${POLL_INTERVAL_MS}));
        }
      })()`);
      if (value === undefined) throw new Error(`It did not come about: ${expression}`);
      return value;
    },
    hover: (selector) => page.locator(selector).first().hover(),
    click: (selector) => page.locator(selector).first().click(),
    type: (text) => page.keyboard.insertText(text),
    press: (key, shift = false) => page.keyboard.press(shift ? `Shift+${key}` : key),
    chooseFiles: (selector, paths) =>
      page
        .locator(selector)
        .first()
        .setInputFiles([...paths]),
    resize: (width, height) => page.setViewportSize({ width, height }),
    screenshot: () => page.screenshot(),
    close: () => page.close(),
  };
}
