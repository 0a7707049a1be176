import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  type BudgetPolicy,
  type BudgetRule,
  ATTO_PER_DOLLAR,
  EMPTY_POLICY,
} from '../../shared/billing/budgets/index.ts';
import { userId } from '../../shared/domain/index.ts';
import { getAccountName } from '../../shared/billing/budgets/index.ts';
import { onAction, runMessageCommand } from '../../shared/commands/definitions/animate.ts';
import { getAccountPartition, BudgetService } from '../../shared/billing/budget-service.ts';
import { BudgetPolicies, Ledger } from '../../shared/storage/index.ts';
import {
  delivery,
  type Deps,
  jobs,
  messageCommand,
  buttonPress,
  modalSubmission,
} from './video-interactions.ts';
import { formFor } from './front.ts';
import { videoRequest, person, thread, VideoHarness } from './video-harness.ts';

const price = () => Promise.resolve({ atto: 0n, priced: true });

/** Runs an interaction in a process of its own. */
const does = (w: VideoHarness, work: (context: Deps) => Promise<unknown>) => w.process(work);

describe('the video budget', () => {
  const who = { person: person.user, channel: thread.channel };

  /** A context with accounts, and a budget of the person. */
  async function spends(rule: Omit<BudgetRule, 'scope' | 'period'>) {
    const w = new VideoHarness();
    const time = { now: () => w.now, sleep: () => Promise.resolve() };
    const store = { dynamo: w.memory, table: 'conversations', now: time.now };
    const ledger = new Ledger(store);
    const books = new BudgetPolicies(store);
    const book: BudgetPolicy = { ...EMPTY_POLICY, rules: [{ scope: 'person', period: 'day', ...rule }] };
    await books.change(getAccountPartition(thread), () => book);
    const deployment = EMPTY_POLICY;
    w.budgets = new BudgetService({
      createId: randomUUID,
      ledger,
      policies: books,
      price,
      time,
      zone: 'UTC',
      deploymentPolicy: deployment,
    });
    const used = async (scope: 'person' | 'workspace' = 'person') => {
      const account = getAccountName(scope, who, 'day', w.now, 'UTC');
      const { atto, requests } = await ledger.read({ partition: getAccountPartition(thread), account });
      return [Number((atto * 100n) / ATTO_PER_DOLLAR), requests];
    };
    const ask = async (requestKey: string) => {
      let sentence = '';
      await does(w, async (context) => {
        const { startJob } = await import('../../shared/video/propose-job.ts');
        const started = await startJob(videoRequest({ requestKey }), context);
        if (started.kind === 'refused') ({ sentence } = started);
      });
      return sentence;
    };
    return { w, used, ask };
  }

  /** Two modals of one proposal, each for another model, at once; the process dies at that effect. */
  async function dying(at: number) {
    const { w, used } = await spends({ atto: 5n * ATTO_PER_DOLLAR });
    w.models = [
      ...w.models,
      { name: 'model-b', operation: 'image-to-video', field: 'image_url', price: '1.20' },
    ];
    await does(w, (context) => runMessageCommand(messageCommand(), context, delivery));
    const change = { name: 'video.change-form', args: [(await jobs(w))[0]?.id ?? ''] };
    const { action } = (await formFor(w, buttonPress(change).interaction)) ?? { action: change };
    const send = (model: string) =>
      does(w, (context) =>
        onAction(modalSubmission(action, 'Gulls.', `form-${model}`, { model }), context, delivery),
      );
    if (at > 0) w.plan = new Map([[w.effects + at, at % 2 === 0 ? 'before' : 'after']]);
    const lived = await Promise.all([send('model-b'), send('model-a-video')]);
    if (!lived[0]) await send('model-b');
    if (!lived[1]) await send('model-a-video');
    await w.pass(6);
    const [job, ...more] = await jobs(w);
    expect([job?.state, more, w.madeVideos.size]).toEqual(['delivered', [], 1]);
    const cost = job?.price === '1.20' ? 120 : 35;
    return { cost, sums: [await used(), await used('workspace')] };
  }

  test('is reserved first, booked once, and a job beyond it does not start', async () => {
    const { w, used, ask } = await spends({ atto: ATTO_PER_DOLLAR / 2n });
    expect(await ask('one')).toBe('');
    expect(await used()).toEqual([35, 1]);
    expect(await ask('two')).toMatch(/What is left of your budget for today may not be enough for this/u);
    await w.pass(2);
    expect(await used()).toEqual([35, 1]);
    expect(await used('workspace')).toEqual([35, 1]);
    expect(w.madeVideos.size).toBe(1);
    const [done, ...others] = (await jobs(w)).toSorted((a, b) => a.state.localeCompare(b.state));
    expect([done?.state, others.map(({ state }) => state)]).toEqual(['delivered', ['proposed']]);
    // Booked again by a worker that died before it stored the end, with another's booking between.
    const options = { model: 'model-a-video', priced: true };
    const another = { id: 'another', atto: 0n, thread, person: 'U9', maxMs: 1_000 };
    await w.budgets.settleFixedPrice(await w.budgets.reserveFixedPrice(another), another, options);
    const again = { id: `video-${done?.id}-0.35`, atto: (ATTO_PER_DOLLAR * 35n) / 100n };
    await w.budgets.settleFixedPrice(done?.accounts ?? [], again, options);
    expect(await used('workspace')).toEqual([35, 2]);
  });

  test('of the person to whom a video was proposed pays for it, and may not be used up, whoever starts it', async () => {
    const admin = { ...person, user: userId('U7') };
    const start = async (kept: string) => {
      const { w, used } = await spends({ requests: 0, of: userId(kept) });
      await does(w, (context) => runMessageCommand(messageCommand(), context, delivery));
      const make = { name: 'video.make', args: [(await jobs(w))[0]?.id ?? ''] };
      const press = { ...buttonPress(make, { by: { ...admin, roles: [] } }), admin: true };
      await does(w, (context) => onAction(press, context, delivery));
      await w.pass(2);
      return { made: w.madeVideos.size, used: await used() };
    };
    expect(await start('U7')).toEqual({ made: 1, used: [35, 1] });
    expect(await start('U1')).toEqual({ made: 0, used: [0, 0] });
  });

  test('warns the requester when most is used; an old proposal is not started once videos are for admins only', async () => {
    const { w } = await spends({ atto: 2n * ATTO_PER_DOLLAR });
    for (let n = 1; n <= 6; n += 1)
      await does(w, (context) => runMessageCommand(messageCommand(`menu-${n}`), context, delivery));
    const proposed = await jobs(w);
    const make = async (at: number) => {
      const before = w.stage.answers.length;
      const press = buttonPress({ name: 'video.make', args: [proposed[at]?.id ?? ''] });
      await does(w, (context) => onAction(press, context, delivery));
      return JSON.stringify(w.stage.answers.slice(before).map(({ card }) => card));
    };
    // 0.35 of 2 dollars each.
    expect([await make(0), await make(1), await make(2), await make(3)]).toEqual(['[]', '[]', '[]', '[]']);
    expect(await make(4)).toContain('80% of your budget for today is used.');
    w.layers = { workspace: { values: { video: 'admins' } } };
    expect(await make(5)).toContain('admin');
    await w.pass(2);
    expect(w.madeVideos.size).toBe(5);
  });

  test('is released without a video and never charged twice after a crash', async () => {
    const { effects } = await (async () => {
      const { w, ask } = await spends({ atto: ATTO_PER_DOLLAR });
      w.statuses = [{ state: 'failed', status: 'FAILED' }];
      await ask('one');
      await w.pass(2);
      return w;
    })();
    for (let at = 1; at <= effects; at += 1) {
      const { w, used, ask } = await spends({ atto: ATTO_PER_DOLLAR });
      w.statuses = [{ state: 'failed', status: 'FAILED' }];
      w.plan = new Map([[at, at % 2 === 0 ? 'before' : 'after']]);
      await ask('one');
      await ask('one');
      await w.pass(8);
      expect([at, (await jobs(w))[0]?.state, await used()]).toEqual([at, 'failed', [0, 0]]);
    }
  });

  test('two concurrent forms with two prices book only the price of the video, even after a crash', async () => {
    for (let at = 0; at <= 12; at += 1) {
      const { cost, sums } = await dying(at);
      expect([at, ...sums]).toEqual([at, [cost, 1], [cost, 1]]);
    }
  });
});
