import { describe, expect, test } from '@jest/globals';
import { type Book, type BudgetRule, DOLLAR, EMPTY_BOOK } from '../../shared/budgets/index.ts';
import { accountOf } from '../../shared/budgets/index.ts';
import type { Action, Call, Form, Invocation } from '../../shared/conversation/index.ts';
import { messageId, userId } from '../../shared/conversation/index.ts';
import { act, run, runOnMessage } from '../../shared/flows/commands/animate.ts';
import { bookOf, Spending } from '../../shared/flows/spending.ts';
import { ToolFailed } from '../../shared/flows/tools.ts';
import { videoTools } from '../../shared/flows/video-tools.ts';
import { Books, Ledger } from '../../shared/store/index.ts';
import { invocation } from './commands/called.ts';
import { asking, person, thread, VideoWorld } from './video-world.ts';

type Deps = ReturnType<VideoWorld['deps']>;

const delivery = { deadline: Infinity, again: false, last: false };
const { picture } = asking();
const jobs = (of: VideoWorld) => of.deps().videos.jobs.of(person, 9);

function called<C extends Call>(call: C, more: Partial<Invocation> = {}) {
  const made = invocation(call, { thread, ...more });
  return { invocation: made, call, locale: 'en', admin: false } as const;
}

const onMessage = (id = 'menu-1') =>
  called(
    {
      kind: 'on-message' as const,
      name: 'animate-form',
      message: { thread, id: thread.root, author: userId('U9'), text: '', attachments: [picture] },
    },
    { id },
  );

const pressed = (action: Action, more: Partial<Invocation> = {}) =>
  called({ kind: 'action' as const, action: { ...action, args: [...action.args] }, chosen: [] }, more);

const sent = (action: Action, prompt: string, id: string, more: Readonly<Record<string, string>> = {}) =>
  called(
    { kind: 'form' as const, action: { ...action, args: [...action.args] }, values: { prompt, ...more } },
    { id },
  );

/** The form that the menu of a message opens. */
async function menu(w: VideoWorld): Promise<Form> {
  const form = await w.formFor(onMessage().invocation);
  if (!form) throw new Error('no form');
  return form;
}

const price = () => Promise.resolve({ atto: 0n, priced: true });

/** Runs a call in a process of its own. */
const does = (w: VideoWorld, work: (deps: Deps) => Promise<unknown>) => w.process(work);

describe('asking in words of one’s own', () => {
  test('the menu opens a form with a proposal and the price; sent, and sent again, it is one video', async () => {
    const w = new VideoWorld();
    const form = await menu(w);
    expect(JSON.stringify(form)).toMatch(/about \$0\.35.*gently to life/u);
    expect([w.queue.length, w.submits]).toEqual([0, 0]);
    const { action } = form;
    await does(w, (deps) => act(sent(action, 'Gulls fly by.', 'form-1'), deps, delivery));
    await does(w, (deps) => act(sent(action, 'Gulls fly by.', 'form-1'), deps, delivery));
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', prompt: 'Gulls fly by.' }]);
    expect(w.made.size).toBe(1);
  });

  test('of several models one is chosen, each with its price and the field that it wants', async () => {
    const w = new VideoWorld();
    w.models = [...w.models, { name: 'model-b', field: 'start_image_url', price: '1.20' }];
    const form = await menu(w);
    expect(JSON.stringify(form)).toMatch(/model-a-video \(about \$0\.35\).*model-b \(about \$1\.20\)/u);
    const { action } = form;
    await does(w, (deps) => act(sent(action, 'Gulls.', 'form-1', { model: 'model-b' }), deps, delivery));
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', model: 'model-b', price: '1.20' }]);
    expect([...w.made.values()][0]?.request).toMatch(/model-b.*start_image_url/u);
    const change = { name: 'video.change', args: [(await jobs(w))[0]?.id ?? ''] };
    await does(w, (deps) => act(sent(change, 'Gulls.', 'form-2', { model: 'gone-since' }), deps, delivery));
    await w.pass(2);
    expect((await jobs(w)).map(({ model }) => model).toSorted()).toEqual(['model-a-video', 'model-b']);
  });

  test('too late for a form: a card that only they see has the same proposal, with a button', async () => {
    const w = new VideoWorld();
    await does(w, (deps) => runOnMessage(onMessage(), deps, delivery));
    expect(JSON.stringify(w.stage.answers[0]?.card)).toContain('video.make');
    expect([w.queue.length, w.submits]).toEqual([0, 0]);
  });

  test('of one that is over, the form begins another; of somebody else’s, nothing is made', async () => {
    const w = new VideoWorld();
    expect(
      await w.formFor(pressed({ name: 'video.change-form', args: ['none'] }).invocation),
    ).toBeUndefined();
    await does(w, (deps) => act(pressed({ name: 'video.change-form', args: ['none'] }), deps, delivery));
    expect(JSON.stringify(w.stage.answers)).toContain('not there any more');
    const { action } = await menu(w);
    await does(w, (deps) => act(sent(action, 'One.', 'form-1'), deps, delivery));
    await w.pass(2);
    const [job] = await jobs(w);
    const again = { name: 'video.change-form', args: [job?.id ?? ''] };
    const opened = await w.formFor(pressed(again).invocation);
    expect(JSON.stringify(opened)).toContain('One.');
    const other = opened?.action ?? { name: '', args: [] };
    const stranger = { by: { user: userId('U7'), workspace: person.workspace, roles: [] } };
    const theirs = sent(other, 'Three.', 'form-3');
    const invoked = { ...theirs, invocation: { ...theirs.invocation, ...stranger } };
    await does(w, (deps) => act(invoked, deps, delivery));
    await does(w, (deps) => act(sent(other, 'Two.', 'form-2'), deps, delivery));
    await does(w, (deps) => act(sent(other, 'Two.', 'form-2'), deps, delivery));
    await w.pass(2);
    expect((await jobs(w)).map(({ prompt }) => prompt).toSorted()).toEqual(['One.', 'Two.']);
  });

  test('`list` shows what was asked for, and not what was only proposed', async () => {
    const w = new VideoWorld();
    await does(w, (deps) => runOnMessage(onMessage(), deps, delivery));
    const list = called({ kind: 'command', name: 'animate', options: {}, attachments: [] } as const);
    const whole = {
      ...list,
      call: { ...list.call, attachments: [] },
      options: { prompt: 'list' },
      commands: [],
    };
    await does(w, (deps) => run(whole, deps, delivery));
    expect(JSON.stringify(w.stage.answers.at(-1)?.card)).toContain('You have no videos.');
  });
});

describe('the model', () => {
  const turn = {
    thread,
    message: messageId('1700000001.000100'),
    asker: person.user,
    askerWorkspace: person.workspace,
  };
  const seen = [{ picture, message: thread.root }];
  const names = (deps: Deps, of: typeof seen) =>
    videoTools(turn, of, deps).map(({ definition }) => definition.name);
  const signal = new AbortController().signal;
  const start = (deps: Deps, args: Record<string, unknown> = { prompt: 'Slower waves.' }) =>
    videoTools(turn, seen, deps)[0]?.prepare(args, 'en').run(signal);

  test('proposes: a card with the price, and nothing spent before its button is pressed, however often', async () => {
    const w = new VideoWorld();
    await does(w, async (deps) => {
      expect(await start(deps)).toMatchObject({
        content: expect.stringContaining('before the person presses'),
      });
      await start(deps);
    });
    await w.pass(10);
    const [job, ...more] = await jobs(w);
    expect([job?.state, more, w.submits, w.stage.cards.size]).toEqual(['proposed', [], 0, 1]);
    expect(JSON.stringify([...w.stage.cards.values()])).toMatch(/Make it \(about \$0\.35\)/u);
    const make = { name: 'video.make', args: [job?.id ?? ''] };
    await does(w, (deps) => act(pressed(make), deps, delivery));
    await does(w, (deps) => act(pressed(make), deps, delivery));
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'delivered', prompt: 'Slower waves.' }]);
    expect([w.made.size, w.stage.cards.size]).toEqual([1, 1]);
  });

  test('may be told no: nothing is made, and the card says so', async () => {
    const w = new VideoWorld();
    await does(w, async (deps) => void (await start(deps)));
    const [job] = await jobs(w);
    await does(w, (deps) => act(pressed({ name: 'video.cancel', args: [job?.id ?? ''] }), deps, delivery));
    await w.pass(2);
    expect(await jobs(w)).toMatchObject([{ state: 'cancelled' }]);
    expect(w.submits).toBe(0);
    expect(JSON.stringify([...w.stage.cards.values()])).toContain('was cancelled');
  });

  test('takes a picture out of the history by the message that holds it, also that of a video', async () => {
    const w = new VideoWorld();
    await does(w, async (deps) => void (await start(deps)));
    const [first] = await jobs(w);
    await does(w, (deps) => act(pressed({ name: 'video.make', args: [first?.id ?? ''] }), deps, delivery));
    await w.pass(2);
    const [made] = await jobs(w);
    const past = [{ picture, message: made?.posted ?? thread.root }];
    await does(w, async (deps) => {
      await videoTools(turn, past, deps)[0]?.prepare({ prompt: 'Even slower.' }, 'en').run(signal);
    });
    expect(await jobs(w)).toContainEqual(
      expect.objectContaining({ prompt: 'Even slower.', asked: thread.root }),
    );
  });

  test('has no such tool without a picture, and none where videos are off; what it asks wrongly, it is told', async () => {
    const w = new VideoWorld();
    await does(w, async (deps) => {
      expect(names(deps, [])).toEqual(['look_up_video']);
      const settings = { ...deps.settings, layers: { workspace: { values: { video: 'off' as const } } } };
      expect(names({ ...deps, settings }, seen)).toEqual([]);
      expect(() => videoTools(turn, seen, deps)[0]?.prepare({ prompt: ' ' }, 'en')).toThrow(ToolFailed);
      expect(() =>
        videoTools(turn, seen, deps)[0]?.prepare({ prompt: 'x', picture: 'moon.png' }, 'en'),
      ).toThrow('sea.png');
      await Promise.resolve();
    });
  });
});

describe('the allowance', () => {
  const who = { person: person.user, channel: thread.channel };

  /** A world with accounts, and a budget of the person. */
  async function spends(rule: Omit<BudgetRule, 'scope' | 'period'>) {
    const w = new VideoWorld();
    const time = { now: () => w.now, sleep: () => Promise.resolve() };
    const store = { dynamo: w.memory, table: 'conversations', now: time.now };
    const ledger = new Ledger(store);
    const books = new Books(store);
    const book: Book = { ...EMPTY_BOOK, rules: [{ scope: 'person', period: 'day', ...rule }] };
    await books.change(bookOf(thread), () => book);
    const deployment = EMPTY_BOOK;
    w.spending = new Spending({ ledger, books, price, time, zone: 'UTC', deployment });
    const used = async (scope: 'person' | 'workspace' = 'person') => {
      const account = accountOf(scope, who, 'day', w.now, 'UTC');
      const { atto, requests } = await ledger.tally({ book: bookOf(thread), account });
      return [Number((atto * 100n) / DOLLAR), requests];
    };
    const ask = async (wish: string) => {
      let sentence = '';
      await does(w, async (deps) => {
        const { animate } = await import('../../shared/flows/animate.ts');
        const started = await animate(asking({ wish }), deps);
        if (started.kind === 'refused') ({ sentence } = started);
      });
      return sentence;
    };
    return { w, used, ask };
  }

  /** Two forms of one proposal, each for another model, at once; the process dies at that effect. */
  async function dying(at: number) {
    const { w, used } = await spends({ atto: 5n * DOLLAR });
    w.models = [...w.models, { name: 'model-b', field: 'image_url', price: '1.20' }];
    await does(w, (deps) => runOnMessage(onMessage(), deps, delivery));
    const change = { name: 'video.change-form', args: [(await jobs(w))[0]?.id ?? ''] };
    const { action } = (await w.formFor(pressed(change).invocation)) ?? { action: change };
    const send = (model: string) =>
      does(w, (deps) => act(sent(action, 'Gulls.', `form-${model}`, { model }), deps, delivery));
    if (at > 0) w.plan = new Map([[w.effects + at, at % 2 === 0 ? 'before' : 'after']]);
    const lived = await Promise.all([send('model-b'), send('model-a-video')]);
    if (!lived[0]) await send('model-b');
    if (!lived[1]) await send('model-a-video');
    await w.pass(6);
    const [job, ...more] = await jobs(w);
    expect([job?.state, more, w.made.size]).toEqual(['delivered', [], 1]);
    const cost = job?.price === '1.20' ? 120 : 35;
    return { cost, sums: [await used(), await used('workspace')] };
  }

  test('is reserved before, booked once after, and what is beyond it is not begun', async () => {
    const { w, used, ask } = await spends({ atto: DOLLAR / 2n });
    expect(await ask('one')).toBe('');
    expect(await used()).toEqual([35, 1]);
    expect(await ask('two')).toMatch(/Your budget for today is used up/u);
    await w.pass(2);
    expect(await used()).toEqual([35, 1]);
    expect(await used('workspace')).toEqual([35, 1]);
    expect(w.made.size).toBe(1);
    const [done, ...others] = (await jobs(w)).toSorted((a, b) => a.state.localeCompare(b.state));
    expect([done?.state, others.map(({ state }) => state)]).toEqual(['delivered', ['proposed']]);
    // Booked once more by a worker that died before it wrote down the end, with another's booking between.
    const made = { model: 'model-a-video', priced: true };
    const another = { id: 'another', atto: 0n, thread, person: 'U9', forMs: 1_000 };
    await w.spending?.finish((await w.spending.agree(another)) ?? [], another, made);
    const again = { id: `video-${done?.id}-0.35`, atto: (DOLLAR * 35n) / 100n };
    await w.spending?.finish(done?.accounts ?? [], again, made);
    expect(await used('workspace')).toEqual([35, 2]);
  });

  test('is given back when nothing came of it, and never taken twice, wherever the process died', async () => {
    const { effects } = await (async () => {
      const { w, ask } = await spends({ atto: DOLLAR });
      w.statuses = [{ state: 'failed', status: 'FAILED' }];
      await ask('one');
      await w.pass(2);
      return w;
    })();
    for (let at = 1; at <= effects; at += 1) {
      const { w, used, ask } = await spends({ atto: DOLLAR });
      w.statuses = [{ state: 'failed', status: 'FAILED' }];
      w.plan = new Map([[at, at % 2 === 0 ? 'before' : 'after']]);
      await ask('one');
      await ask('one');
      await w.pass(8);
      expect([at, (await jobs(w))[0]?.state, await used()]).toEqual([at, 'failed', [0, 0]]);
    }
  });

  test('two forms of one proposal with two prices, at once and wherever one dies: what the video costs is booked', async () => {
    for (let at = 0; at <= 12; at += 1) {
      const { cost, sums } = await dying(at);
      expect([at, ...sums]).toEqual([at, [cost, 1], [cost, 1]]);
    }
  });
});
