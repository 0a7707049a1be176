import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readList, readString } from '../../shared/platforms/discord/api/json-path.ts';
import { bytesOf } from '../simulators/send-file.ts';
import { ADA, GENERAL } from '../simulators/discord/index.ts';
import { button, type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({ relay: false });
});
afterAll(() => harness.close());

const CODE = Array.from({ length: 20 }, (_, line) => `print(${line})`).join('\n');
// Nobody has this id: those of people are replaced by their names in the question that the model repeats.
const ANSWER = `# Plan\n\n> - first\n> - second\n\n\`\`\`python\n${CODE}\n\`\`\`\n\nمرحبا ![](@U0NOBODY00)\n\n${'All of it. '.repeat(380)}`;

test('in Slack a long answer becomes one canvas and files, and they go with their question', async () => {
  const { slack } = harness.journey();
  const thread = await slack.say('ada', `@parley [[sim:echo]]\n${ANSWER}`);
  const answer = await slack.core.until(() =>
    botMessages(slack, thread).find(({ blocks }) => JSON.stringify(blocks)?.includes('As a canvas')),
  );
  const files = () => [...slack.core.state.files.values()];
  const canvases = () => files().filter(({ file }) => file.canvas);
  const posted = (text: string) =>
    botMessages(slack, thread).filter((message) => JSON.stringify(message).includes(text));
  await Promise.all([
    slack.press('ada', answer.ts, 'As a canvas'),
    slack.press('ada', answer.ts, 'As a canvas'),
    slack.press('ada', answer.ts, 'Code as files'),
  ]);
  await slack.core.until(() =>
    posted('In the thread').length + posted('being posted').length === 3 &&
    files().some(({ file }) => file.name.startsWith('code-1'))
      ? true
      : undefined,
  );
  const [canvas, ...more] = canvases();
  expect(more).toEqual([]);
  expect(canvas?.file).toMatchObject({ name: 'Plan', canvas: { channels: [slack.channel], users: [] } });
  const text = canvas ? bytesOf(canvas).toString() : '';
  expect(text).toMatch(/^# Plan\n\n+- first\n- second\n/u);
  expect(text).toContain(`\`\`\`python\n${CODE}\n\`\`\``);
  expect(text).toContain('مرحبا []\\(@U0NOBODY00)');
  expect(posted('The answer as a canvas')).toHaveLength(1);
  const blocks = botMessages(slack, thread).map((message) => message.blocks);
  expect(JSON.stringify(blocks)).not.toContain('(parley.slack.com)');
  const file = files().find(({ file: { name } }) => name.startsWith('code-1'));
  expect(file && bytesOf(file).toString()).toBe(`${CODE}\n`);
  expect(JSON.stringify(posted('In the thread'))).toContain('code-1.py');
  slack.core.remove(slack.users.find(({ name }) => name === 'ada')?.id ?? '', slack.channel, thread);
  await slack.core.until(() =>
    files().every(({ file: { deleted } }) => deleted === true) ? true : undefined,
  );
});

test('in Discord a long answer becomes a file, and there are no canvases', async () => {
  const discord = harness.discord();
  await discord.slash('ada', GENERAL, 'ask', { question: `[[sim:echo]]\n${ANSWER}` });
  const answer = await discord.core.until(() =>
    harness.visibleMessages(ADA).find(({ one }) => button(one, 'file.text') !== ''),
  );
  expect(button(answer.one, 'file.canvas')).toBe('');
  await discord.press('ada', answer.id, button(answer.one, 'file.text'));
  const notice = await harness.once(ADA, /In the thread: \[answer\.md\]\(https:/u);
  expect(notice.text).not.toContain('[1]');
  const names = harness
    .visibleMessages(ADA)
    .flatMap(({ one }) => readList(one, 'attachments').map((file) => readString(file, 'filename')));
  expect(names).toContainEqual(expect.stringMatching(/^answer-\w{10}\.md$/u));
});
