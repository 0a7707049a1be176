import { expect, test } from '@jest/globals';
import { decompressTurn } from '../../shared/storage/dynamodb/turn-compression.ts';
import { parseTurnItem } from '../../shared/storage/turns/turn-item.ts';
import { ONE_QUESTION } from './questions.ts';
import type { ScenarioResult } from './options.ts';
import { runScenario } from './scenario.ts';
import { CALL_FAULTS } from './fault-kinds.ts';
import { type FaultPlan } from './harness.ts';

/** Seven minutes of paragraphs: Slack closes a stream after five. */
const goesOn = {
  pieces: Array.from({ length: 42 }, (_, n) => `and on it goes ${n}${n % 3 === 2 ? '.\n\n' : ' '}`),
  everyMs: 10_000,
};
const play = (plan: FaultPlan): Promise<ScenarioResult> =>
  runScenario({ questions: ONE_QUESTION, goesOn, plan });

/** Without white space, which differs where an answer continues in another message. */
const plain = (text: string): string => text.replaceAll(/\s+/gu, '');

/** The messages of the bot, and the stored answer. */
function readAnswer({ workspace, store }: ScenarioResult) {
  const all = [...(workspace.state.messages.get(workspace.channel)?.values() ?? [])];
  const botMessages = all.filter(({ user }) => user === workspace.identity.botUserId);
  const [turn, ...more] = store.items('conversations').filter(({ body }) => body !== undefined);
  expect(more).toEqual([]);
  const { outcome } = decompressTurn((turn ? parseTurnItem(turn) : undefined)?.body?.B ?? new Uint8Array());
  return { botMessages, text: outcome.text };
}

test('an answer of seven minutes continues in a second message before Slack closes the first stream', async () => {
  const { botMessages, text } = readAnswer(await play(() => undefined));
  expect(plain(text)).toContain(plain(goesOn.pieces.join('')));
  expect(botMessages).toHaveLength(2);
  expect(plain(botMessages.map((one) => one.text).join(''))).toBe(plain(text));
  // No stream was closed by Slack and repaired.
  expect(botMessages.map(({ stream, editedAt }) => [stream?.open, editedAt])).toEqual([
    [false, undefined],
    [false, undefined],
  ]);
  // At the end of a paragraph.
  expect(botMessages[0]?.text).toMatch(/\.\s*$/u);
});

test('any fault during the answer leaves exactly the stored text visible, once', async () => {
  const { harness } = await play(() => undefined);
  const wrong: string[] = [];
  let runs = 0;
  for (let point = 3; point < harness.points.length; point += 29) {
    const fault = CALL_FAULTS[runs % CALL_FAULTS.length] ?? 'error';
    const end = await play((index) => (index === point ? fault : undefined));
    const { botMessages, text } = readAnswer(end);
    const visibleText = botMessages.map((one) => one.text).join('');
    const open = botMessages.some(({ stream }) => stream?.open === true);
    if (open || plain(visibleText) !== plain(text)) wrong.push(`${point}=${fault}`, visibleText, text);
    runs += 1;
  }
  expect(wrong).toEqual([]);
  expect(runs).toBeGreaterThan(15);
});
