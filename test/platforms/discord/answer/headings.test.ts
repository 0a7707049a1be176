import { afterEach, expect, test } from '@jest/globals';
import { closeAll, discordWithDeniedPermissions } from '../denied-permissions.ts';

afterEach(closeAll);

const lines = (text: string) => text.split('\n').flatMap((line) => line.trim() || []);

test('deep headings and rules of a long answer are drawn in all of its messages, also while it is written', async () => {
  const { ask, reply, texts } = await discordWithDeniedPermissions([]);
  const turn = ask('tell');
  const sections = Array.from(
    { length: 60 },
    (_, n) => `#### Step ${n}\n\n${'Words. '.repeat(n % 9)}\n\n---\n`,
  );
  const drawn = sections.map((text) => text.replace(/^#### (.*)/u, '**$1**').replace('---', '───'));
  const writing = reply(turn);
  writing.write(`${sections[0]}\n###`);
  await writing.posted();
  expect(texts(turn.message).join('')).toContain('**Step 0**');
  await writing.publish(sections.join('\n'));
  const messages = texts(turn.message);
  expect(messages.length).toBeGreaterThan(1);
  expect(Math.max(...messages.map((text = '') => text.length))).toBeLessThanOrEqual(2_000);
  expect(lines(messages.join('\n'))).toEqual(lines(drawn.join('\n')));
});
