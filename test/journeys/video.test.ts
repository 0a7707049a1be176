import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Message } from '../simulators/slack/index.ts';
import { clipBytes } from '../simulators/upstream/vision/clip.ts';
import { PICTURES } from '../pictures/pictures.ts';
import { dataFolder, type Journey, startJourney } from './system.ts';

const folder = dataFolder();
let journey: Journey;

beforeAll(async () => {
  journey = await startJourney(folder.path, { variables: { VIDEO_MODELS: 'model-a-video:image_url:0.35' } });
}, 180_000);
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

/** Slack's menu of a message, as its own front is told of it. */
async function animate(thread: string, trigger: string): Promise<void> {
  const { slack } = journey;
  const [ada] = slack.users;
  const message = slack.core.state.messages.get(slack.channel)?.get(thread);
  const payload = {
    type: 'message_action',
    callback_id: 'animate-form',
    trigger_id: trigger,
    team: { id: slack.teamId, domain: 'parley' },
    user: { id: ada?.id, team_id: slack.teamId, name: 'ada' },
    channel: { id: slack.channel, name: 'general' },
    message_ts: thread,
    action_ts: `${Date.now() / 1000}`,
    message: {
      type: 'message',
      user: ada?.id,
      ts: thread,
      text: message?.text,
      files: (message?.files ?? []).map((id) => ({
        id,
        name: 'sea.png',
        mimetype: 'image/png',
        size: picture.content.length,
      })),
    },
    response_url: `${slack.url}/hooks/none`,
  };
  await post(payload);
  await slack.core.until(() => slack.core.state.forms.get(trigger));
}

/** The form that a trigger opened is sent with this description. */
async function fillIn(trigger: string, prompt: string): Promise<void> {
  const { slack } = journey;
  const [ada] = slack.users;
  await post({
    type: 'view_submission',
    trigger_id: `${trigger}-sent`,
    team: { id: slack.teamId, domain: 'parley' },
    user: { id: ada?.id, team_id: slack.teamId, name: 'ada' },
    view: {
      ...slack.core.state.forms.get(trigger),
      state: { values: { prompt: { value: { type: 'plain_text_input', value: prompt } } } },
    },
  });
}

/** What Slack sends of what people do: signed, as a form. */
async function post(payload: object): Promise<void> {
  const { slack, system } = journey;
  const { sign } = await import('../simulators/slack/index.ts');
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const timestamp = Math.floor(Date.now() / 1000);
  const answer = await fetch(`${system.local.api}/slack/events`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': sign(slack.signingSecret, timestamp, body),
    },
    body,
  });
  expect(answer.status).toBe(200);
}

describe('a picture becomes a video', () => {
  test('from the menu of a message by a form to a file in the thread that plays, once, though it was sent twice', async () => {
    const { slack, upstream } = journey;
    upstream.control.change({ queueMs: 0, runMs: 300 });
    const thread = await slack.say('ada', 'Look at this.', { files: [picture] });
    await animate(thread, 'trigger-1');
    const form = JSON.stringify(slack.core.state.forms.get('trigger-1'));
    expect(form).toMatch(/about \$0\.35.*gently to life/su);
    expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(0);
    await fillIn('trigger-1', 'Waves roll in.');
    await fillIn('trigger-1', 'Waves roll in.');
    const posted = await videoIn(thread);
    await cardSays(thread, /A video was made.*about \$0\.35/su);
    const [id = ''] = posted.files ?? [];
    const content = Buffer.from(slack.core.state.files.get(id)?.content ?? '', 'base64');
    expect(content.equals(clipBytes())).toBe(true);
    expect(posted.text).toMatch(/model-a-video.*\$0\.35/su);
    expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(1);
    // The service was given an address of ours, and fetched nothing by Slack's token.
    const submitted = upstream.journal.find(({ path }) => path.endsWith('/image-to-video'));
    expect(JSON.stringify(submitted?.body)).toMatch(
      /"image_url":"http:\/\/127\.0\.0\.1:\d+\/media\w*\/inputs\//u,
    );
    expect(JSON.stringify(submitted?.body)).not.toContain(slack.url);
    expect(JSON.stringify(submitted?.body)).toContain('Waves roll in.');
    // It is part of the thread: a follow-up without a mention is answered, and the model is told of it.
    await slack.say('ada', 'Make it slower, please. What did I ask before?', { thread });
    await slack.core.until(() =>
      JSON.stringify(upstream.journal.at(-1)?.body).includes('Animate this picture') ? true : undefined,
    );
  }, 60_000);

  test('a failure is said on the card, with a button that begins a new job', async () => {
    const { slack, upstream } = journey;
    const thread = await slack.say('grace', 'And this.', { files: [picture] });
    upstream.control.change({ queueMs: 0, runMs: 60_000 });
    await animate(thread, 'trigger-3');
    await fillIn('trigger-3', 'Waves roll out.');
    const card = await cardSays(thread, /A video was asked for/u);
    await slack.press('ada', card.ts, 'Cancel');
    await cardSays(thread, /The video was cancelled/u);
    upstream.control.change({ queueMs: 0, runMs: 100 });
    await slack.press('ada', card.ts, 'Again (about $0.35)');
    await videoIn(thread);
    expect(upstream.meter.filter(({ kind }) => kind === 'video')).toHaveLength(3);
  }, 60_000);
});
