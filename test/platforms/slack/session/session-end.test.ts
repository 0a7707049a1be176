import { expect, test } from '@jest/globals';
import {
  type AgentApi,
  AssistantSession,
} from '../../../../shared/platforms/slack/session/assistant-session.ts';
import { fakeTime, turn as TURN } from '../fake-slack.ts';

test('a status that waits for a slow request is not shown after the answer has ended', async () => {
  const requests: string[] = [];
  const first = Promise.withResolvers<{ by: 'session'; hasStop: false }>();
  const add = async (name: string): Promise<void> => void requests.push(name);
  const agent: AgentApi = {
    showWork: (_place, text) => add(`working ${text}`).then(() => first.promise),
    showText: () => add('words'),
    clearText: () => add('clear'),
    endSession: () => add('idle'),
  };
  const session = new AssistantSession({ agent, time: fakeTime(), tell: add }, TURN);
  const started = [session.showStopButton(), session.show('still thinking', 'work')];
  await new Promise((resolve) => setImmediate(resolve));
  const ended = session.end(false);
  first.resolve({ by: 'session', hasStop: false });
  await Promise.all([...started, ended]);
  expect(requests).toEqual(['working undefined', 'idle']);
});
