import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../../shared/domain/index.ts';
import { localize as text } from '../../../shared/i18n/index.ts';
import type { Platform } from '../../../shared/platforms/ports/index.ts';
import { StreamCutError } from '../../../shared/upstream/index.ts';
import { dispatchTask } from '../../../shared/worker/index.ts';
import { endEvent, FakeReply, fakePlatform } from '../completion-harness.ts';
import { THREAD, threadHarness } from '../thread-harness.ts';

const press = (at: string, kind: 'regenerate' | 'continue' = 'regenerate') =>
  ({
    kind: 'button-clicked',
    thread: THREAD,
    message: messageId('1.1'),
    by: userId('U1'),
    at,
    action: { kind },
  }) as const;

const askModelB = (at: string) =>
  ({ ...press(at), action: { kind: 'regenerate', model: 'model-b' } }) as const;

const words = (content: string) => ({ type: 'text', text: content }) as const;
const CUT = new StreamCutError('cut');
const INTERRUPTED = `\n\n_${text('en', 'answers.interrupted')}_`;

test('Continue keeps every word of an interrupted stream, also after several interruptions', async () => {
  const { say, take, queued, full, outcome, whispers, time } = threadHarness([
    [words('One, two, '), CUT],
    [words('three, '), CUT],
    [CUT],
    [words('four.'), endEvent('four.')],
  ]);
  await say('1.1', 'U1', 'Count.');
  await queued();
  expect(await outcome('1.1')).toMatchObject({ finish: 'interrupted', text: `One, two, ${INTERRUPTED}` });
  for (const [at, answerText] of [
    ['8.1', `One, two, three, ${INTERRUPTED}`],
    ['8.2', `One, two, three, ${INTERRUPTED}`],
    ['8.3', 'One, two, three, four.'],
  ] as const) {
    time.advance(2_000);
    await take(press(at, 'continue'));
    await queued();
    expect((await outcome('1.1'))?.text).toBe(answerText);
  }
  expect(full.at(-1)?.at(-2)).toEqual({ role: 'assistant', content: 'One, two, three, ' });
  // The interruption without new text is reported to the requester; the answer stays.
  expect(whispers).toEqual([`U1: _${text('en', 'answers.failure.cut')}_`]);
});

test('a complete answer stays when its regeneration is interrupted, and the requester is told why', async () => {
  const { say, take, queued, outcome, whispers, time } = threadHarness([
    [words('Whole.'), endEvent('Whole.')],
    [words('Hal'), CUT],
  ]);
  await say('1.1', 'U1', 'Why?');
  await queued();
  time.advance(2_000);
  await take(press('8.1'));
  await queued();
  expect((await outcome('1.1'))?.text).toBe('Whole.');
  expect(whispers).toEqual([`U1: ${text('en', 'answers.redo.interrupted')}`]);
});

test('a button that is pressed twice causes one new answer; the button of that answer causes another', async () => {
  const { say, take, queued, prompts, time } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  time.advance(2_000);
  await take(press('8.1'));
  time.advance(100);
  await take(press('8.2'));
  await queued();
  expect(prompts).toHaveLength(2);
  time.advance(1_000);
  await take(press('8.3'));
  await queued();
  expect(prompts).toHaveLength(3);
});

/** A click where the bot can respond with an interaction token only: the new answer is a message of its own, which everybody sees as pending. */
const pressWithToken = (id: string, how: object = { kind: 'regenerate' }, by = 'U1') => ({
  v: 1,
  kind: 'redo',
  thread: THREAD,
  message: messageId('1.1'),
  asker: userId('U1'),
  askerWorkspace: THREAD.workspace,
  key: `press-${id}`,
  by,
  ticket: { id, token: 'T' },
  how,
});

test('the log has the end of a change that was not needed any more, and of a check that found nothing', async () => {
  const logged: unknown[] = [];
  const { say, take, sent, queued, prompts, time } = threadHarness([], {
    log: (event, facts) => void logged.push([event, facts?.['message']]),
  });
  await say('1.1', 'U1', 'Why?');
  await queued();
  time.advance(2_000);
  await take(press('8.1'));
  time.advance(100);
  await take(press('8.2'));
  const person = { asker: 'U1', askerWorkspace: 'T1' };
  sent({ v: 1, kind: 'reconcile', thread: THREAD, message: '7.7', ...person });
  sent({ v: 1, kind: 'reconcile', thread: THREAD, message: '1.1', ...person });
  logged.length = 0;
  await queued();
  expect(prompts).toHaveLength(2);
  expect(logged).toEqual([
    ['answer.change-ended', '1.1'],
    ['answer.change-ended', '1.1'],
    ['answer.check-ended', '1.1'],
  ]);
});

test('a press that a later press replaced does nothing', async () => {
  const { say, queued, prompts, sent, superseded } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  superseded.add('8');
  sent(pressWithToken('8'));
  sent(pressWithToken('9'));
  await queued();
  expect(prompts).toHaveLength(2);
});

test('“Ask model-b” is refused while another model is locked: the requester is told why, and no model is asked', async () => {
  const { say, take, queued, prompts, outcome, whispers, set, time } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  time.advance(2_000);
  await take(askModelB('8.1'));
  await queued();
  expect(prompts).toHaveLength(2);
  await set('name:model value:model-a lock:"it is paid for"');
  await take(askModelB('8.2'));
  await queued();
  expect(prompts).toHaveLength(2);
  expect((await outcome('1.1'))?.text).toBe('Answer 2.');
  expect(whispers).toEqual([
    'U1: `model-b` may not be used here, only `model-a`. This is locked by the workspace: it is paid for',
  ]);
  // The locked model may be requested by name, and Regenerate may request the current one.
  await take({ ...press('8.3'), action: { kind: 'regenerate', model: 'model-a' } });
  await queued();
  expect(prompts).toHaveLength(3);
});

test.each([
  [
    'the model of the button is locked',
    { kind: 'regenerate', model: 'model-b' },
    'U1',
    'may not be used here',
  ],
  ['the answer is gone', { kind: 'continue' }, 'U1', text('en', 'answers.redo.gone')],
  ['it is of somebody else', { kind: 'regenerate' }, 'U2', text('en', 'answers.redo.not-yours')],
])('if %s, the refusal does not take the place of the pending answer', async (_, how, by, why) => {
  const notices: { readonly notice: string; readonly replaces: boolean | undefined }[] = [];
  const platform = {
    ...fakePlatform(),
    postEphemeral: async (...[, , notice, replaces]: Parameters<Platform['postEphemeral']>) =>
      notices.push({ notice, replaces }) > 0,
  };
  const { say, queued, sent, set, prompts } = threadHarness([], { platform });
  if (why !== text('en', 'answers.redo.gone')) await say('1.1', 'U1', 'Why?');
  await queued();
  await set('name:model value:model-a lock:yes');
  const requests = prompts.length;
  sent(pressWithToken('8', how, by));
  await queued();
  expect(prompts).toHaveLength(requests);
  expect(notices).toEqual([{ notice: expect.stringContaining(why), replaces: true }]);
});

test('an answer that is kept is posted once more after a click with a token, with the reason below', async () => {
  const { say, sent, queued, outcome, whispers } = threadHarness([
    [words('Whole.'), endEvent('Whole.')],
    [words('Hal'), CUT],
  ]);
  await say('1.1', 'U1', 'Why?');
  await queued();
  sent(pressWithToken('8'));
  await queued();
  expect((await outcome('1.1'))?.text).toBe(`Whole.\n\n_${text('en', 'answers.redo.interrupted')}_`);
  expect(whispers).toEqual([]);
});

// The rule “a request to answer again is carried out once” of test/mutants/rules.json. A click with an interaction token has no time that would show it was handled.
test.each<readonly [string, object]>([
  [
    'an edit',
    {
      key: 'edit-9.1',
      how: { kind: 'edited', of: '1.1', question: 'Why not?', attachments: [] },
    },
  ],
  ['a click', { key: 'press-8', ticket: { id: '8', token: 'T' }, how: { kind: 'regenerate' } }],
])(
  'a request to answer again is carried out once: %s that is delivered again shows the stored answer, and asks no model',
  async (_, request) => {
    const publishedTexts: string[] = [];
    const publish = async (answer: string) => (publishedTexts.push(answer), []);
    const platform = { ...fakePlatform(), reply: () => Object.assign(new FakeReply(), { publish }) };
    const { say, queued, prompts, sent, outcome, context, time } = threadHarness([], { platform });
    await say('1.1', 'U1', 'Why?');
    await queued();
    const turn = { thread: THREAD, message: '1.1', asker: 'U1', askerWorkspace: THREAD.workspace };
    const task = { v: 1, kind: 'redo', ...turn, by: 'U1', ...request };
    sent(task);
    await queued();
    publishedTexts.length = 0;
    const delivery = { deadline: time.now() + 60_000, isRedelivery: true, isLast: false };
    await dispatchTask(JSON.stringify(task), context, delivery);
    expect(prompts).toHaveLength(2);
    expect((await outcome('1.1'))?.text).toBe('Answer 2.');
    expect(publishedTexts).toEqual(['Answer 2.']);
  },
);

test('where the bot is silent an edit gets neither an answer nor a notice; a button press gets a notice', async () => {
  const { say, edit, take, queued, prompts, whispers, set, time } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  await set('name:mentions value:off');
  await edit('1.1', 'U1', 'Why not?');
  await queued();
  expect([prompts.length, whispers]).toEqual([1, []]);
  time.advance(2_000);
  await take(press('8.1'));
  await queued();
  expect([prompts.length, whispers]).toEqual([1, [`U1: ${text('en', 'settings.refused.silent')}`]]);
});

test('a worker that writes an answer learns that the thread was deleted', async () => {
  const { say, remove, queued, context } = threadHarness();
  await say('1.1', 'U1', 'Why?');
  await queued();
  await say('1.2', 'U1', 'And how?');
  await remove('1.1');
  const other = {
    thread: THREAD,
    message: messageId('1.2'),
    asker: userId('U1'),
    askerWorkspace: THREAD.workspace,
  };
  expect((await context.signals.poll(other)).signal).toMatchObject({ signal: 'deleted' });
});

type Harness = ReturnType<typeof threadHarness>;

test.each<readonly [string, (harness: Harness) => unknown]>([
  ['after its thread was closed', ({ context }) => context.signals.closeThread(THREAD)],
  ['where the bot is silent by now', ({ set }) => set('name:mentions value:off')],
  ['after a later edit', ({ edit, queued }) => edit('1.2', 'U1', 'When?', '9.2').then(queued)],
])(
  'an edit that is delivered again %s leaves nothing of its first attempt: the stored answer is shown, and once more when no write can be late',
  async (_, meanwhile) => {
    const publishedTexts: string[] = [];
    const publish = async (answer: string) => (publishedTexts.push(answer), []);
    const platform = { ...fakePlatform(), reply: () => Object.assign(new FakeReply(), { publish }) };
    const harness = threadHarness([], { platform });
    const { say, queued, context, items, outcome, time, prompts } = harness;
    await say('1.2', 'U1', 'Why?');
    await queued();
    await meanwhile(harness);
    const requestCount = prompts.length;
    publishedTexts.length = 0;
    time.advance(60_000);
    const at = { thread: THREAD, message: '1.2', asker: 'U1', askerWorkspace: THREAD.workspace };
    const how = { kind: 'edited', of: '1.2', question: 'Why not?', attachments: [] };
    const body = JSON.stringify({ v: 1, kind: 'redo', ...at, key: 'edit-9.1', by: 'U1', how });
    const delivery = { deadline: time.now() + 60_000, isRedelivery: true, isLast: false };
    expect(await dispatchTask(body, context, delivery)).toEqual({ kind: 'done' });
    expect(publishedTexts).toEqual([(await outcome('1.2'))?.text]);
    expect(prompts).toHaveLength(requestCount);
    const [turn] = items().filter(({ id, body: stored }) => id?.S === '1.2' && stored !== undefined);
    expect(turn).toMatchObject({
      open: { S: 'reconcile' },
      due: { N: `${Math.floor(time.now() / 1_000) + 120}` },
    });
  },
);

test('a button on a question that was merged into another turn is a request about that turn', async () => {
  const { say, take, queued, tasks } = threadHarness();
  await say('1.1', 'U1', 'Who is there?');
  await queued();
  await say('1.2', 'U1', 'Why?');
  await say('1.3', 'U2', 'And how?');
  await queued();
  expect(await take({ ...press('9.5'), message: messageId('1.3') })).toBe('queued');
  expect(tasks.map(({ body }) => JSON.parse(body) as unknown)).toMatchObject([
    { kind: 'redo', message: '1.2' },
  ]);
});
