import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PICTURES } from '../image-files/pictures.ts';
import { ADA } from '../simulators/discord/index.ts';
import type { SettingsChange } from '../simulators/upstream/settings.ts';
import { type DiscordHarness, startDiscordHarness } from './discord-harness.ts';
import { botMessages } from './harness.ts';

let harness: DiscordHarness;

beforeAll(async () => {
  harness = await startDiscordHarness({
    variables: { VIDEO_MODELS: 'model-a-video:image_url:0.35', VIDEO_LIMIT: '600/60' },
  });
});
afterAll(() => harness.close());

const content = Buffer.from(PICTURES.png, 'base64');

/** A platform on which a person animates a picture. */
type Side = {
  readonly name: string;
  /** Resolves with the thread. */
  readonly animate: (prompt: string) => Promise<string>;
  /** The messages of the bot in the thread, as JSON. */
  readonly contents: (thread: string) => string[];
  /** The form of the time on the card that shows the elapsed time. */
  readonly moment: RegExp;
};

const SLACK: Side = {
  name: 'Slack',
  async animate(prompt) {
    const { slack } = harness.journey();
    const thread = await slack.say('ada', 'Look at this.', { files: [{ name: 'sea.png', content }] });
    await slack.shortcut('ada', 'animate-form', thread);
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    await slack.submit('ada', { prompt });
    return thread;
  },
  contents: (thread) =>
    botMessages(harness.journey().slack, thread).map(({ blocks }) => JSON.stringify(blocks ?? [])),
  moment: /\*So far\*\\n(\d+) s \(<!date\^\d+\^\{time_secs\}\|\d\d:\d\d:\d\d UTC>\)/u,
};

const DISCORD: Side = {
  name: 'Discord',
  async animate(prompt) {
    const discord = harness.discord();
    const files = [{ name: 'sea.png', content, contentType: 'image/png' }];
    const message = discord.say('ada', undefined, 'Look at this.', { files });
    const outcome = await discord.menu('ada', message, 'Animate');
    await discord.core.until(() => discord.core.state.interactions.get(outcome.id)?.shown);
    await discord.submit('ada', outcome.id, { prompt });
    return message;
  },
  contents: (thread) => harness.visibleMessages(ADA, thread).map(({ one }) => JSON.stringify(one)),
  moment: /\*\*So far\*\* (\d+) s \(<t:\d+:R>\)/u,
};

/** Resolves with the card in a thread once it has this text. */
const cardSays = ({ contents }: Side, thread: string, words: RegExp): Promise<string> => {
  const findText = () => contents(thread).find((one) => words.test(one));
  const { slack } = harness.journey();
  return Promise.race([slack.core.until(findText), harness.discord().core.until(findText)]);
};

/** The same, with the sweeper run explicitly, which otherwise runs each minute. */
async function sweptUntil(side: Side, thread: string, words: RegExp): Promise<string> {
  const { emulator: cloud } = harness.journey().system;
  const [sweep] = cloud.resources.schedules;
  for (;;) {
    const line = side.contents(thread).find((one) => words.test(one));
    if (line !== undefined) return line;
    await cloud.invoke(sweep?.functionId ?? '', {});
    await new Promise((resolve) => void setTimeout(resolve, 100));
  }
}

const service = (change: SettingsChange): void =>
  void harness.journey().upstream.control.change({ queueMs: 0, webhookSent: 'done', ...change });

/** Each job is rejected with this status until the fault of this name is removed. */
const submitFails = (status: number): string =>
  harness.journey().upstream.control.addFault({
    fault: { kind: 'error', status },
    path: '/v2/',
    containing: 'image_url',
  });

const SIDES = [SLACK, DISCORD];

/** Starts a video on each platform, sequentially: a person has one modal open at a time. */
async function animateOnEach(prompt: string): Promise<(readonly [Side, string])[]> {
  const starts: (readonly [Side, string])[] = [];
  for (const side of SIDES) starts.push([side, await side.animate(prompt)]);
  return starts;
}

describe.each(SIDES)('the card of a video in $name', (side) => {
  test('shows a failure and its reason immediately when the service sends a callback', async () => {
    service({ runMs: 200 });
    const thread = await side.animate('[[sim:fail=It is too dark.]] Waves.');
    const card = await cardSays(side, thread, /The video failed/u);
    expect(card).toContain('The video service says: It is too dark.');
  });

  test('shows immediately that the service rejects the job, and what to do', async () => {
    const fault = submitFails(400);
    const thread = await side.animate('Waves.');
    const card = await cardSays(side, thread, /The video failed/u);
    expect(card).toContain('did not accept the picture or the description');
    harness.journey().upstream.control.removeFault(fault);
  });

  test('shows that the request is retried when the service fails', async () => {
    const fault = submitFails(503);
    const thread = await side.animate('Waves.');
    const card = await cardSays(side, thread, /does not accept jobs at the moment/u);
    expect(card).toContain('A video is queued');
    harness.journey().upstream.control.removeFault(fault);
  });
});

describe('on both platforms the card of a video', () => {
  test('shows the states submitted, in progress with elapsed time, and done', async () => {
    service({ runMs: 10_000 });
    const each = (await animateOnEach('Waves roll in.')).map(async ([side, thread]) => {
      await cardSays(side, thread, /A video was submitted/u);
      const running = await sweptUntil(side, thread, /A video is being made/u);
      const done = await cardSays(side, thread, /A video was made/u);
      return [Number(side.moment.exec(running)?.[1]) >= 5, done.includes('So far')];
    });
    expect(await Promise.all(each)).toEqual(SIDES.map(() => [true, false]));
  });

  test('shows the result after the next poll when no callback comes', async () => {
    service({ runMs: 200, webhookSent: 'never' });
    const failing = await animateOnEach('[[sim:fail=It is too dark.]] Waves.');
    const others = await animateOnEach('Waves.');
    const failed = failing.map(([side, thread]) => sweptUntil(side, thread, /The video failed/u));
    const done = others.map(([side, thread]) => sweptUntil(side, thread, /A video was made/u));
    for (const card of await Promise.all(failed)) expect(card).toMatch(/It is too dark\..*video\.again/su);
    for (const card of await Promise.all(done)) expect(card).not.toContain('So far');
  });
});
