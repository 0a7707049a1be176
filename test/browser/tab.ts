import * as v from 'valibot';
import type { Connection, Json } from './connection.ts';

export type TabOptions = {
  /** In CSS pixels; 1,280 by 800 unless told. */
  readonly width?: number;
  readonly height?: number;
  /** What the system prefers; light unless told. */
  readonly scheme?: 'light' | 'dark';
};

/** A tab, and what a person does in it. Expressions are JavaScript of the page; they may be promises. */
export type Tab = {
  /** The value of an expression, as JSON gives it. Rejects when it throws. */
  evaluate(expression: string): Promise<unknown>;
  /** Resolves with the first true value of an expression, asked again and again. Rejects after 15 s, saying what it waited for. */
  until(expression: string): Promise<unknown>;
  /** Moves the pointer onto the middle of the element, scrolling to it first. Waits until it is there and visible. */
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
  /** Any other method of the debugging protocol. */
  send(method: string, params?: Json): Promise<Json>;
  /** Listens to an event of the debugging protocol; its domain has to be enabled by `send`. */
  on(event: string, listener: (params: Json) => void): () => void;
  close(): Promise<void>;
};

const UNTIL_TIMEOUT_MS = 15_000;

const attached = v.object({ sessionId: v.string() });
const created = v.object({ targetId: v.string() });
const evaluated = v.object({
  result: v.object({ value: v.optional(v.unknown()) }),
  exceptionDetails: v.optional(
    v.object({ text: v.string(), exception: v.optional(v.object({ description: v.optional(v.string()) })) }),
  ),
});
const requested = v.object({ request: v.object({ url: v.string() }) });
const point = v.object({ x: v.number(), y: v.number() });

/** The keys that are no characters, with the number that the page gets and the text that they write. */
const KEYS: Readonly<Record<string, readonly [number, string?]>> = {
  Enter: [13, '\r'],
  Tab: [9],
  Escape: [27],
  Backspace: [8],
  ArrowDown: [40],
  ArrowUp: [38],
  ' ': [32, ' '],
};

export async function openTab(connection: Connection, url: string, options: TabOptions = {}): Promise<Tab> {
  const { width = 1_280, height = 800, scheme = 'light' } = options;
  // In a window of its own: a tab behind another one draws nothing.
  const blank = { url: 'about:blank', newWindow: true };
  const { targetId } = v.parse(created, await connection.send('Target.createTarget', blank));
  const { sessionId } = v.parse(
    attached,
    await connection.send('Target.attachToTarget', { targetId, flatten: true }),
  );
  const send: Tab['send'] = (method, params) => connection.send(method, params, sessionId);
  const on: Tab['on'] = (event, listener) =>
    connection.onEvent((method, params, session) => {
      if (method === event && session === sessionId) listener(params);
    });
  const errors = collectErrors(on);
  const requests: string[] = [];
  on('Network.requestWillBeSent', (params) => requests.push(v.parse(requested, params).request.url));
  for (const domain of ['Page', 'Runtime', 'Log', 'DOM', 'Network']) await send(`${domain}.enable`);
  const resize: Tab['resize'] = async (w, h) => {
    const size = { width: w, height: h, deviceScaleFactor: 1, mobile: false };
    await send('Emulation.setDeviceMetricsOverride', size);
  };
  await resize(width, height);
  await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value: scheme }] });
  // Only one window has the focus otherwise.
  await send('Emulation.setFocusEmulationEnabled', { enabled: true });
  const loaded = new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${url} did not load`)), UNTIL_TIMEOUT_MS);
    const stop = on('Page.loadEventFired', () => {
      stop();
      clearTimeout(timer);
      resolve();
    });
  });
  await send('Page.navigate', { url });
  await loaded;
  const evaluate = evaluator(send);
  return {
    send,
    on,
    errors,
    requests,
    evaluate,
    resize,
    ...actions(send, evaluate),
    async screenshot() {
      const { data } = await send('Page.captureScreenshot', { format: 'png' });
      return Buffer.from(v.parse(v.string(), data), 'base64');
    },
    async close() {
      await connection.send('Target.closeTarget', { targetId });
    },
  };
}

function evaluator(send: Tab['send']): Tab['evaluate'] {
  return async (expression) => {
    const answer = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
    const { result, exceptionDetails: wrong } = v.parse(evaluated, answer);
    if (wrong) throw new Error(`${expression}: ${wrong.exception?.description ?? wrong.text}`);
    return result.value;
  };
}

function actions(send: Tab['send'], evaluate: Tab['evaluate']) {
  const until: Tab['until'] = async (expression) => {
    const result = await evaluate(`(async () => {
      for (const end = performance.now() + ${UNTIL_TIMEOUT_MS}; performance.now() < end; ) {
        const value = await (${expression});
        if (value) return value;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })()`);
    if (result === undefined) throw new Error(`It did not come about: ${expression}`);
    return result;
  };
  const mouse = (type: string, at: v.InferOutput<typeof point>, button = 'none'): Promise<Json> =>
    send('Input.dispatchMouseEvent', { type, ...at, button, clickCount: button === 'none' ? 0 : 1 });
  const hover = async (selector: string): Promise<v.InferOutput<typeof point>> => {
    const at = v.parse(point, await until(middleOf(selector)));
    await mouse('mouseMoved', at);
    return at;
  };
  return {
    until,
    hover: async (selector: string): Promise<void> => void (await hover(selector)),
    async click(selector: string): Promise<void> {
      const at = await hover(selector);
      await mouse('mousePressed', at, 'left');
      await mouse('mouseReleased', at, 'left');
    },
    async type(text: string): Promise<void> {
      await send('Input.insertText', { text });
    },
    async press(key: string, shift = false): Promise<void> {
      const [code, text = key.length === 1 ? key : undefined] = KEYS[key] ?? [
        key.toUpperCase().charCodeAt(0),
      ];
      const keyFacts = { key, windowsVirtualKeyCode: code, modifiers: shift ? 8 : 0 };
      await send('Input.dispatchKeyEvent', { type: 'keyDown', ...keyFacts, ...(text && { text }) });
      await send('Input.dispatchKeyEvent', { type: 'keyUp', ...keyFacts });
    },
    async chooseFiles(selector: string, paths: readonly string[]): Promise<void> {
      const expression = `document.querySelector(${JSON.stringify(selector)})`;
      const { result } = v.parse(
        v.object({ result: v.object({ objectId: v.string() }) }),
        await send('Runtime.evaluate', { expression }),
      );
      await send('DOM.setFileInputFiles', { files: paths, objectId: result.objectId });
    },
  };
}

/** The middle of an element once it is scrolled to, stands still, and nothing else lies there; undefined before. */
const middleOf = (selector: string): string => `(async () => {
  const element = document.querySelector(${JSON.stringify(selector)});
  if (!element) return undefined;
  element.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const before = element.getBoundingClientRect();
  await new Promise((resolve) => requestAnimationFrame(resolve));
  const { x, y, width, height } = element.getBoundingClientRect();
  const middle = { x: x + width / 2, y: y + height / 2 };
  const still = x === before.x && y === before.y;
  return still && element.contains(document.elementFromPoint(middle.x, middle.y)) ? middle : undefined;
})()`;

const thrown = v.object({
  exceptionDetails: v.object({
    text: v.string(),
    exception: v.optional(v.object({ description: v.optional(v.string()) })),
  }),
});
const logged = v.object({ entry: v.object({ level: v.string(), text: v.string() }) });

function collectErrors(on: Tab['on']): string[] {
  const errors: string[] = [];
  on('Runtime.exceptionThrown', (params) => {
    const { text, exception } = v.parse(thrown, params).exceptionDetails;
    errors.push(exception?.description ?? text);
  });
  on('Log.entryAdded', (params) => {
    const { level, text } = v.parse(logged, params).entry;
    if (level === 'error') errors.push(text);
  });
  return errors;
}
