import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PICTURES } from '../image-files/pictures.ts';
import type { Message } from '../simulators/slack/index.ts';
import { answersIn, botMessages, dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;
let grace: string;

beforeAll(async () => {
  const variables = { ACCOUNTS: 'on', VIDEO_MODELS: 'model-a-video:image_url:0.35' };
  journey = await startJourneyHarness(folder.path, { variables });
  grace = journey.slack.users.find(({ name }) => name === 'grace')?.id ?? '';
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const contentOf = (message: Message | undefined): string =>
  JSON.stringify([message?.text, message?.blocks, message?.files]);
const all = (): Message[] =>
  [...journey.slack.core.state.messages.values()].flatMap((messages) => [...messages.values()]);

/** Types a command. Resolves with the ephemeral response. */
async function typed(name: 'ada' | 'grace', words: string): Promise<string> {
  const { slack } = journey;
  const user = slack.users.find((one) => one.name === name)?.id;
  const mine = () => all().filter(({ ephemeralTo }) => ephemeralTo === user);
  const before = mine().length;
  await slack.command(name, `/parley ${words}`);
  return slack.core.until(() => (mine().length > before ? contentOf(mine()[before]) : undefined));
}

/** Grace asks. Resolves with the complete answer, and the other messages below the question. */
async function askInThread(words: string): Promise<string> {
  const thread = await journey.slack.say('grace', `@parley ${words}`);
  const [answer] = await journey.slack.core.until(() => {
    const messages = botMessages(journey.slack, thread);
    return messages.some((one) => /regenerate/u.test(contentOf(one)) || /used up/u.test(contentOf(one)))
      ? messages
      : undefined;
  });
  await answersIn(journey.slack, thread);
  return JSON.stringify(answer);
}

const sent = () => journey.upstream.journal.filter(({ path }) => path.endsWith('/chat/completions')).length;

test('the bot warns once at 80 % of a budget, refuses questions at 100 % and names who can raise it, and answers again after a grant', async () => {
  expect(await typed('grace', 'quota set person 5/day')).toContain('Only admins can');
  expect(await typed('ada', 'quota set person 5/day')).toContain('Budget of each person per day: 5 requests');
  const answers: string[] = [];
  for (let n = 1; n <= 5; n += 1) answers.push(await askInThread(`What is ${n} + 100?`));
  const warned = answers.map((answer) => /80% of your budget for today is used/u.test(answer));
  expect(warned).toEqual([false, false, false, true, false]);
  const before = sent();
  const stopped = await askInThread('What is 6 + 100?');
  expect(stopped).toMatch(/Your budget for today is used up\. It starts again at 00:00 UTC/u);
  expect(stopped).toMatch(/An admin can raise it with the command `quota`/u);
  expect(sent()).toBe(before);

  expect(await typed('ada', 'quota grant person 2 @grace')).toContain('5 requests');
  expect(await askInThread('What is 7 + 100?')).toContain('107');
  expect(await typed('grace', 'usage')).toMatch(/6 \/ 7 requests/u);
});

test('times are shown in the time zone of the workspace', async () => {
  expect(await typed('ada', 'quota zone Asia/Tokyo')).toContain('Days begin at midnight in Asia/Tokyo.');
  await typed('ada', 'quota set channel 0/day here:yes');
  const stopped = await askInThread('What is 8 + 100?');
  expect(stopped).toMatch(
    /(?:this channel|Your budget) for today is used up\. It starts again at 00:00 \(Asia\/Tokyo\)/u,
  );
  await typed('ada', 'quota drop channel here:yes');
});

test('a video counts with its price, and is not submitted when it exceeds the budget', async () => {
  const { slack, upstream } = journey;
  upstream.control.change({ queueMs: 0, runMs: 100 });
  await typed('ada', 'quota drop person');
  await typed('ada', 'quota set person $0.50/day');
  const files = [{ name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') }];
  const thread = await slack.say('grace', 'Look.', { files });
  const form = async () => {
    await slack.shortcut('grace', 'animate-form', thread);
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('grace', { prompt: 'Waves.' });
  };
  await form();
  await slack.core.until(() => botMessages(slack, thread).find(({ files: film }) => film !== undefined));
  await slack.core.until(() =>
    botMessages(slack, thread).find((one) => contentOf(one).includes('A video was made')),
  );
  await form();
  const notice = await slack.core.until(() =>
    all().find((one) => one.ephemeralTo === grace && contentOf(one).includes('your budget')),
  );
  expect(contentOf(notice)).toContain('What is left of your budget for today may not be enough for this.');
  expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(1);
  expect(await typed('grace', 'usage')).toMatch(/\$0\.35 \/ \$0\.50/u);
});

test('usage is sent as a file that only the requester sees', async () => {
  const { slack } = journey;
  expect(await typed('ada', 'usage of:workspace csv:yes')).toContain('Only you see the table');
  const file = await slack.core.until(() =>
    [...slack.core.state.files.values()].find(({ file: { name } }) => name?.endsWith('.csv')),
  );
  const text = Buffer.from(file.content, 'base64').toString();
  expect(text).toContain(`person#${grace},model-a-video,1,0,0,0,0.35,0`);
  expect(text.split('\n')[0]).toContain('date,account,model,requests');
});
