import { expect, test } from '@jest/globals';
import { messageId, userId } from '../../shared/domain/index.ts';
import { openThread } from './quota-thread.ts';
import { THREAD } from './thread-harness.ts';

/** U1 asks `1.2`, and `1.3` is merged into the same turn. */
async function mergedThread() {
  const harness = await openThread();
  await harness.say('1.2', 'U1', 'Why?');
  await harness.say('1.3', 'U1', 'And how?');
  await harness.queued();
  expect(await harness.stored('1.2')).toMatchObject({ folded: [{ message: '1.3' }] });
  return harness;
}

const press = {
  kind: 'button-clicked',
  thread: THREAD,
  message: messageId('1.2'),
  by: userId('U1'),
  at: '9.5',
  action: { kind: 'regenerate' },
} as const;

test.each([
  ['merged', '1.3', '1.2'],
  ['first', '1.2', '1.3'],
])(
  'an edit of the %s question that arrives after a later edit of another question of the turn is applied',
  async (_, late, other) => {
    const { edit, queued, stored } = await mergedThread();
    await edit(other, 'U1', 'And when?', '9.2');
    await queued();
    await edit(late, 'U1', 'And where?', '9.1');
    await queued();
    const { question, folded } = (await stored('1.2')) ?? {};
    expect(new Set([question, folded?.[0]?.question])).toEqual(new Set(['And when?', 'And where?']));
  },
);

test.each([
  ['merged', '1.3', '1.2', 'Why?'],
  ['first', '1.2', '1.3', 'And how?'],
])(
  'an edit of the %s question that arrives after its deletion is not applied; the other question of the turn stays',
  async (_, deleted, other, rest) => {
    const { edit, remove, queued, stored, prompts } = await mergedThread();
    await remove(deleted);
    await queued();
    const requests = prompts.length;
    await edit(deleted, 'U1', 'And where?', '9.1');
    await queued();
    const { question, folded = [] } = (await stored('1.2')) ?? {};
    const questions = [['1.2', question], ...folded.map((one) => [one.message, one.question])];
    expect(questions.filter(([, text]) => text !== '')).toEqual([[other, rest]]);
    expect(prompts).toHaveLength(requests);
  },
);

test('an edit that arrives after a later edit of the same question is not applied, even after a regeneration', async () => {
  const { edit, take, queued, stored, prompts, time } = await mergedThread();
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  time.advance(2_000);
  await take(press);
  await queued();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests);
});

test('an edit that arrives after the question was accepted from a later edit is not applied', async () => {
  const { edit, queued, stored, prompts } = await openThread();
  await edit('1.2', 'U1', 'And when?', '9.2');
  await queued();
  const requests = prompts.length;
  await edit('1.2', 'U1', 'And where?', '9.1');
  await queued();
  expect((await stored('1.2'))?.question).toBe('And when?');
  expect(prompts).toHaveLength(requests);
});
