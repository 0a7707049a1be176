import { expect, test } from '@jest/globals';
import { estimateMaxUsage } from '../../../shared/billing/reservation.ts';
import { endEvent, outcomeOf, completionHarness } from '../completion-harness.ts';

const definition = { name: 'look_up' };
const run = async () => ({ content: 'done', summary: 'done' });
const TOOLS = [
  { definition, prepare: () => ({ title: 'Looking', status: ['answers.status.reading'] as const, run }) },
];

test('a call goes back with what its server sent beside it, which is not stored', async () => {
  const extra = { extra_content: { google: { thought_signature: 'signed' } } };
  const call = { id: 'call-0', name: 'look_up', arguments: '{"query":"sky"}', extra };
  const origin = { model: 'model-a', reasoning: 'SECRET' };
  const completion = completionHarness(
    [[endEvent('', { toolCalls: [call], origin })], [endEvent('Light.')]],
    { tools: TOOLS },
  );
  const { outcome } = await outcomeOf(completion.run());
  expect(completion.requests[1]?.messages[1]).toEqual({
    role: 'assistant',
    content: '',
    toolCalls: [call],
    origin,
  });
  expect(JSON.stringify(outcome)).not.toMatch(/SECRET|signed/u);
});

/** The estimate for a message with a call, with this reasoning. */
function tokens(reasoning: string): number {
  const toolCalls = [{ id: 't', name: 'look_up', arguments: '{}' }];
  const message = { role: 'assistant', content: '', toolCalls, origin: { model: 'm', reasoning } } as const;
  return estimateMaxUsage({ prompt: [message], maxTokens: 16 }).promptTokens;
}

test('its reasoning counts in the estimate: some servers want it back, and charge for it', () => {
  expect(tokens('word '.repeat(300))).toBeGreaterThan(tokens('') + 290);
});
