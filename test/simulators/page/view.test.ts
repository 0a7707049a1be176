import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { messageView } from './view.js';
import { applyChange, createState, threadOf, topLevel } from './workspace.js';
import { ADA, GRACE, setUp, text } from '../slack/harness.ts';

/** The part of a DOM element that the page uses. */
class Made {
  readonly name: string;
  readonly attributes: Record<string, string> = {};
  readonly listeners: Record<string, () => void> = {};
  readonly children: (Made | string)[] = [];
  readonly dataset: Record<string, string> = {};
  constructor(name: string) {
    this.name = name;
  }
  setAttribute(key: string, value: string): void {
    this.attributes[key] = value;
    if (key.startsWith('data-')) this.dataset[key.slice(5)] = value;
  }
  addEventListener(kind: string, listener: () => void): void {
    this.listeners[kind] = listener;
  }
  append(...children: (Made | string)[]): void {
    this.children.push(...children);
  }
  get all(): Made[] {
    return this.children.flatMap((one) => (typeof one === 'string' ? [] : [one, ...one.all]));
  }
  get words(): string {
    return this.children.map((one) => (typeof one === 'string' ? one : one.words)).join(' ');
  }
  get lastElementChild(): Made | undefined {
    return this.children.findLast((one) => typeof one !== 'string');
  }
  get tagName(): string {
    return this.name.toUpperCase();
  }
  querySelectorAll(selector: string): Made[] {
    return this.all.filter((one) => `.${one.attributes['class']}` === selector);
  }
}

beforeAll(
  () => void Object.assign(globalThis, { document: { createElement: (name: string) => new Made(name) } }),
);
afterAll(() => void Reflect.deleteProperty(globalThis, 'document'));

const cell = (words: string) => ({ type: 'raw_text', text: words });
const plain = (words: string) => ({ type: 'plain_text', text: words });

/** The answers in a thread of a workspace in which `answer` sent the requests, as the page shows them. */
function render(
  answer: (context: ReturnType<typeof setUp> & { root: string }) => void,
  files?: { name: string; content: string }[],
  viewer = ADA,
) {
  const context = setUp();
  const root = context.workspace.say(ADA, '@parley hi', files ? { files } : {});
  answer({ ...context, root });
  const page = createState();
  page.bot = { id: context.workspace.identity.botUserId, name: 'parley' };
  page.users = context.workspace.identity.users;
  for (const change of context.workspace.changes()) applyChange(page, change);
  const pressed: unknown[] = [];
  const act = {
    press: (...[person, { ts }, ...rest]: [string, { ts: string }, ...unknown[]]) =>
      void pressed.push([person, ts, ...rest]),
  };
  const views = threadOf(page, context.channel, root, viewer).map((message) => {
    const view: unknown = messageView(page, message, {
      replies: [],
      now: context.clock.now(),
      person: viewer,
      editing: false,
      act,
    });
    if (!(view instanceof Made)) throw new Error('not of this page');
    return view;
  });
  return { views, pressed };
}

const nodesNamed = (view: Made | undefined, name: string): Made[] =>
  view?.all.filter((one) => one.name === name) ?? [];

test('a stream shows its text, its task cards and that it continues', () => {
  const { views } = render(({ call, channel, recipient, root }) => {
    const task = {
      type: 'task_update',
      id: '1',
      title: 'Searching',
      status: 'in_progress',
      details: 'for cats',
    };
    const chunks = [task, { type: 'markdown_text', text: '**Hello** `all`' }];
    call('chat.startStream', { channel, thread_ts: root, chunks, ...recipient });
  });
  const [, answer] = views;
  expect(answer?.attributes['aria-busy']).toBe('true');
  expect(answer?.words).toMatch(/Searching.*for cats/su);
  expect(nodesNamed(answer, 'strong').map(({ words }) => words)).toContain('Hello');
  expect(nodesNamed(answer, 'code').map(({ words }) => words)).toContain('all');
});

/** What a person sees of a stream for Ada. */
function seenBy(person: string, finished: boolean): string | undefined {
  const { views } = render(
    ({ call, channel, recipient, root }) => {
      const ts = text(
        call('chat.startStream', { channel, thread_ts: root, markdown_text: 'One', ...recipient })['ts'],
      );
      call('chat.appendStream', { channel, ts, markdown_text: ' two' });
      if (finished) call('chat.stopStream', { channel, ts });
    },
    undefined,
    person,
  );
  return views[1]?.words;
}

test('a stream in a channel grows for the asker; others see its first text until it is complete', () => {
  expect(seenBy(ADA, false)).toContain('One two');
  expect(seenBy(GRACE, false)).toContain('One');
  expect(seenBy(GRACE, false)).not.toContain('two');
  expect(seenBy(GRACE, true)).toContain('One two');
});

test('a table, buttons and ratings are below an answer, and each click is one', () => {
  const { views, pressed } = render(({ call, channel, root }) => {
    const thumb = (label: string, value: string) => ({ text: plain(label), value });
    const pair = { positive_button: thumb('Good', 'yes'), negative_button: thumb('Bad', 'no') };
    const blocks = [
      {
        type: 'table',
        rows: [
          [cell('City'), cell('People')],
          [cell('Oslo'), cell('<b>700,000</b>')],
        ],
      },
      { type: 'actions', elements: [{ type: 'button', action_id: 'again', text: plain('Regenerate') }] },
      { type: 'context_actions', elements: [{ type: 'feedback_buttons', action_id: 'feedback', ...pair }] },
    ];
    call('chat.postMessage', { channel, thread_ts: root, text: 'x', blocks });
  });
  const [, answer] = views;
  expect(nodesNamed(answer, 'table')).toHaveLength(1);
  expect(nodesNamed(answer, 'tr').map(({ words }) => words.trim())).toEqual([
    'City People',
    'Oslo <b>700,000</b>',
  ]);
  const again = nodesNamed(answer, 'button').find(({ words }) => words === 'Regenerate');
  again?.listeners['click']?.();
  const [up, down] = nodesNamed(answer, 'button').filter((one) => one.attributes['class'] === 'thumb');
  up?.listeners['click']?.();
  down?.listeners['click']?.();
  const ts = text(answer?.attributes['data-ts']);
  expect(pressed).toEqual([
    [ADA, ts, 1, 0, undefined],
    [ADA, ts, 2, 0, 'yes'],
    [ADA, ts, 2, 0, 'no'],
  ]);
});

test('a thread can be opened, but not from an ephemeral message', () => {
  const context = setUp();
  const { workspace, call, channel, clock } = context;
  workspace.say(ADA, 'hi');
  call('chat.postEphemeral', { channel, user: ADA, text: 'psst' });
  const page = createState();
  page.users = workspace.identity.users;
  for (const change of workspace.changes()) applyChange(page, change);
  const viewing = {
    replies: [],
    now: clock.now(),
    person: ADA,
    editing: false,
    act: { press: () => undefined },
  };
  const ways = topLevel(page, channel, ADA).map(({ message }) => {
    const view: unknown = messageView(page, message, { ...viewing, openThread: () => undefined });
    if (!(view instanceof Made)) throw new Error('not of this page');
    return nodesNamed(view, 'button').some(({ words }) => words === 'Reply in thread');
  });
  expect(ways).toEqual([true, false]);
});

test('a picture is shown, another file is named', () => {
  const files = [
    { name: 'cat.png', content: 'x' },
    { name: 'notes.pdf', content: 'y' },
  ];
  const [question] = render(() => undefined, files).views;
  expect(nodesNamed(question, 'img').map(({ attributes }) => attributes['alt'])).toContain('cat.png');
  expect(nodesNamed(question, 'a').map(({ attributes }) => attributes['download'])).toContain('notes.pdf');
});
