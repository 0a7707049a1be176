import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import { CLIP, clipBytes } from '../simulators/upstream/vision/clip.ts';
import { PICTURES } from '../image-files/pictures.ts';
import { readVideo } from './play-video.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

const folder = dataFolder();
let journey: JourneyHarness;

beforeAll(async () => {
  // More of them per minute than the default limit permits at once.
  const variables = { VIDEO_MODELS: 'model-a-video:image_url:0.35', VIDEO_LIMIT: '600/60' };
  journey = await startJourneyHarness(folder.path, { variables });
});
afterAll(async () => {
  await journey.system.close();
  folder.remove();
});

const picture = { name: 'sea.png', content: Buffer.from(PICTURES.png, 'base64') };

/** The messages of the bot in a thread. */
const inThread = (thread: string): Message[] =>
  [...(journey.slack.core.state.messages.get(journey.slack.channel)?.values() ?? [])].filter(
    (message) => message.thread === thread && message.user === journey.slack.botUserId,
  );

const videoIn = (thread: string): Promise<Message> =>
  journey.slack.core.until(() => inThread(thread).find(({ files }) => files !== undefined));

const cardSays = (thread: string, words: RegExp): Promise<Message> =>
  journey.slack.core.until(() =>
    inThread(thread).find(({ blocks }) => words.test(JSON.stringify(blocks ?? []))),
  );

/** A person runs the message shortcut "Animate". Resolves with the modal. */
async function animate(thread: string): Promise<string> {
  const { slack } = journey;
  await slack.shortcut('ada', 'animate-form', thread);
  return slack.core.until(() =>
    [...slack.core.state.views.values()]
      .map((view) => JSON.stringify(view))
      .find((view) => /"modal"/u.test(view)),
  );
}

describe('a picture becomes a video', () => {
  test('a message shortcut and a modal lead to one playable file in the thread', async () => {
    const { slack, upstream } = journey;
    upstream.control.change({ queueMs: 0, runMs: 300 });
    const thread = await slack.say('ada', 'Look at this.', { files: [picture] });
    expect(await animate(thread)).toMatch(/about \$0\.35.*gently to life/su);
    expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(0);
    await slack.submit('ada', { prompt: 'Waves roll in.' });
    const posted = await videoIn(thread);
    await cardSays(thread, /A video was made.*about \$0\.35/su);
    const [id = ''] = posted.files ?? [];
    const content = Buffer.from(slack.core.state.files.get(id)?.content ?? '', 'base64');
    expect(content.equals(clipBytes())).toBe(true);
    const { width, height, duration, avg_fps } = CLIP;
    const pictures = duration * avg_fps;
    expect(await readVideo(content)).toEqual({ codec: 'avc', width, height, duration, pictures });
    expect(posted.text).toMatch(/model-a-video.*\$0\.35/su);
    expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(1);
    // The service got a URL of the bot's bucket, and fetched nothing with Slack's token.
    const submitted = upstream.journal.find(({ path }) => path.endsWith('/image-to-video'));
    expect(JSON.stringify(submitted?.body)).toMatch(
      /"image_url":"http:\/\/127\.0\.0\.1:\d+\/media\w*\/inputs\//u,
    );
    expect(JSON.stringify(submitted?.body)).not.toContain(slack.url);
    expect(JSON.stringify(submitted?.body)).toContain('Waves roll in.');
    // It is part of the thread: a follow-up without a mention is answered, and the model gets its data.
    await slack.say('ada', 'Make it slower, please. What did I ask before?', { thread });
    await slack.core.until(() =>
      JSON.stringify(upstream.journal.at(-1)?.body).includes('Animate this picture') ? true : undefined,
    );
  });

  test('“make it slower” is another video of the same picture', async () => {
    const { slack, upstream } = journey;
    const thread = await slack.say('ada', 'Mine.', { files: [picture] });
    await animate(thread);
    await slack.submit('ada', { prompt: 'Gulls.' });
    await videoIn(thread);
    await cardSays(thread, /A video was made/u);
    await slack.say('ada', 'Please make the video slower.', { thread });
    const card = await cardSays(thread, /A video could be made of this/u);
    const notices = JSON.stringify(
      upstream.journal.findLast(({ body }) => JSON.stringify(body).includes('slower'))?.body,
    );
    expect(notices).toContain('Prompt: Gulls.');
    await slack.press('ada', card.ts, 'Make it (about $0.35)');
    await slack.core.until(() => {
      const films = inThread(thread).filter(({ files }) => files !== undefined);
      return films.length === 2 ? films : undefined;
    });
  });

  test('the model proposes a video, nothing is submitted before the person agrees, and two clicks make one video', async () => {
    const { slack, upstream } = journey;
    const before = upstream.meter.filter(({ kind }) => kind === 'video').length;
    const countVideos = () => upstream.meter.filter(({ kind }) => kind === 'video').length - before;
    const thread = await slack.say('ada', '@parley Please animate this.', { files: [picture] });
    const card = await cardSays(thread, /A video could be made of this.*about \$0\.35/su);
    expect(countVideos()).toBe(0);
    const make = () => slack.press('ada', card.ts, 'Make it (about $0.35)');
    await Promise.all([make(), make()]);
    const posted = await videoIn(thread);
    const [id = ''] = posted.files ?? [];
    const content = Buffer.from(slack.core.state.files.get(id)?.content ?? '', 'base64');
    expect(content.equals(clipBytes())).toBe(true);
    await cardSays(thread, /A video was made/u);
    expect(countVideos()).toBe(1);
    expect(inThread(thread).filter(({ files }) => files !== undefined)).toHaveLength(1);
  });

  test('App Home lists the videos of the person with their states', async () => {
    const { slack } = journey;
    slack.openHome('ada');
    const home = await slack.core.until(() =>
      [...slack.core.state.views.values()]
        .filter(({ kind }) => kind === 'home')
        .map(({ view }) => JSON.stringify(view))
        .find((view) => view.includes('Your videos')),
    );
    expect(home).toMatch(/A video was made.*Waves roll in\./u);
  });

  test('the card shows a failure, with a button that starts a new job', async () => {
    const { slack, upstream } = journey;
    const before = upstream.meter.filter(({ kind }) => kind === 'video').length;
    const thread = await slack.say('grace', 'And this.', { files: [picture] });
    upstream.control.change({ queueMs: 0, runMs: 60_000 });
    await animate(thread);
    await slack.submit('ada', { prompt: 'Waves roll out.' });
    const card = await cardSays(thread, /A video was submitted/u);
    await slack.press('ada', card.ts, 'Cancel');
    await cardSays(thread, /The video was cancelled/u);
    upstream.control.change({ queueMs: 0, runMs: 100 });
    await slack.press('ada', card.ts, 'Again (about $0.35)');
    await videoIn(thread);
    expect(upstream.meter.filter(({ kind }) => kind === 'video').length - before).toBe(2);
  });
});
