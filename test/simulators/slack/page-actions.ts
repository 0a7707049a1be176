import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { isOfThisPage } from '../page-server.ts';
import { bytesOf, sendFile } from '../send-file.ts';
import { MAX_SPOKEN_CHARACTERS, slackVoiceClip } from '../recording/voice-message.ts';
import { jsonOf, readBody, sendJson } from './http.ts';
import type { SlackWorkspace } from './user-interactions.ts';
import type { Workspace } from './workspace.ts';

/** The maximum size of a post including its base64 files. */
const BODY_LIMIT = 40_000_000;
const FILES_MOST = 10;

const who = { user: v.string(), channel: v.string() };
const clipShape = v.object({ kind: v.picklist(['slack_audio', 'slack_video']), durationMs: v.number() });

const sayShape = v.object({
  ...who,
  thread: v.optional(v.string()),
  text: v.pipe(v.string(), v.maxLength(40_000)),
  /** Of the sending window: a message that is sent again after a lost response is not posted again. */
  id: v.optional(v.pipe(v.string(), v.uuid())),
  files: v.optional(
    v.pipe(
      v.array(
        v.union([
          v.object({
            name: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
            mimetype: v.optional(v.string()),
            content: v.string(),
            clip: v.optional(clipShape),
          }),
          // The text of a voice clip.
          v.object({ spoken: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SPOKEN_CHARACTERS)) }),
        ]),
      ),
      v.maxLength(FILES_MOST),
    ),
  ),
});
const editShape = v.object({
  ...who,
  ts: v.string(),
  text: v.pipe(v.string(), v.minLength(1), v.maxLength(40_000)),
});
const messageShape = v.object({ ...who, ts: v.string() });
const pressShape = v.object({
  ...who,
  ts: v.string(),
  block: v.number(),
  element: v.number(),
  value: v.optional(v.string()),
});

const homeShape = v.object({ user: v.string() });
const homePressShape = v.object({
  user: v.string(),
  block: v.number(),
  element: v.number(),
  value: v.optional(v.string()),
});
const shortcutShape = v.object({ ...who, ts: v.string(), name: v.string() });
const commandShape = v.object({ ...who, text: v.pipe(v.string(), v.maxLength(12_000)) });
const submitShape = v.object({ user: v.string(), filled: v.record(v.string(), v.string()) });

type Action = (side: SlackWorkspace, body: unknown) => Promise<object>;

/** The actions of people on the page, by the last part of their path. Each throws for what Slack would not permit. */
const ACTIONS: Readonly<Record<string, Action>> = {
  async say({ core }, body) {
    const { user, text, channel, thread, id: clientId, files = [] } = v.parse(sayShape, body);
    if (text.trim() === '' && files.length === 0) throw new Error('Nothing to send');
    // In Slack's words: see slackapi/bolt-python#873.
    const slash = thread === undefined ? undefined : /^\/\S+/u.exec(text)?.[0];
    if (slash !== undefined) throw new Error(`${slash} is not supported in threads. Sorry!`);
    const uploads = await Promise.all(
      files.map(async (file) =>
        'spoken' in file
          ? slackVoiceClip(file.spoken)
          : { ...file, content: Buffer.from(file.content, 'base64') },
      ),
    );
    return { ts: core.say(user, text, { channel, thread, clientId, files: uploads }) };
  },
  async edit({ core }, body) {
    const { user, channel, ts, text } = v.parse(editShape, body);
    core.edit(user, channel, ts, text);
    return {};
  },
  async remove({ core }, body) {
    const { user, channel, ts } = v.parse(messageShape, body);
    core.remove(user, channel, ts);
    return {};
  },
  async stop({ core }, body) {
    const { user, channel, ts } = v.parse(messageShape, body);
    core.stop(user, channel, ts);
    return {};
  },
  async command(side, body) {
    const { user, channel, text } = v.parse(commandShape, body);
    return await side.command(user, text, channel);
  },
  async shortcut(side, body) {
    const { user, channel, ts, name } = v.parse(shortcutShape, body);
    return await side.shortcut(user, name, ts, channel);
  },
  async react({ core }, body) {
    const { user, channel, ts, name } = v.parse(shortcutShape, body);
    core.react(user, channel, ts, name);
    return {};
  },
  async home(side, body) {
    side.openHome(v.parse(homeShape, body).user);
    return {};
  },
  async presshome(side, body) {
    const { user, ...what } = v.parse(homePressShape, body);
    return await side.pressHome(user, what);
  },
  async submit(side, body) {
    const { user, filled } = v.parse(submitShape, body);
    return await side.submit(user, filled);
  },
  async dismiss(side, body) {
    await side.dismiss(v.parse(v.object({ user: v.string() }), body).user);
    return {};
  },
  async press(side, body) {
    const { user, channel, ts, ...what } = v.parse(pressShape, body);
    return await side.press(user, ts, what, channel);
  },
};

/** Performs an action of a person on the page; false if the path is no action. */
export async function serveAction(
  side: SlackWorkspace,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<boolean> {
  const name = /^\/page\/([a-z]+)$/.exec(path)?.[1] ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  if (!action) return false;
  if (!fromThisPage(request)) {
    sendJson(response, 403, { error: 'Not from this page' });
    return true;
  }
  const body = await readBody(request, BODY_LIMIT);
  if (body === undefined) {
    sendJson(response, 413, { error: 'Too large for this simulated Slack' });
    return true;
  }
  try {
    sendJson(response, 200, await action(side, jsonOf(body)));
  } catch (error) {
    const words = error instanceof Error && !v.isValiError(error) ? error.message : 'Not understood';
    sendJson(response, 400, { error: words });
  }
  return true;
}

/**
 * Pictures, audio and videos are displayed; other files are downloads. No file may run scripts, or be taken for a
 * page.
 */
export function servePageFile(
  workspace: Workspace,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): boolean {
  const file = workspace.state.files.get(path.slice('/page/file/'.length));
  if (!file || file.file.deleted) return false;
  const { id, mimetype, name } = file.file;
  const isInline = /^(?:image\/(?:png|jpeg|gif|webp|svg\+xml)|audio\/[\w.+-]+|video\/(?:mp4|webm))$/.test(
    mimetype,
  );
  // A canvas is shown as its Markdown.
  const type = file.file.canvas
    ? 'text/plain; charset=utf-8'
    : isInline
      ? mimetype
      : 'application/octet-stream';
  const headers = {
    'content-type': type,
    'content-disposition': `${isInline || file.file.canvas ? 'inline' : 'attachment'}; filename*=UTF-8''${encodeURIComponent(name)}`,
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': file.file.canvas ? 'no-store' : 'private, max-age=3600',
  };
  sendFile(request, response, { id, content: bytesOf(file) }, headers);
  return true;
}

/** Only JSON is accepted, which a page of another origin cannot send without a preflight. */
const fromThisPage = (request: IncomingMessage): boolean =>
  request.headers['content-type']?.startsWith('application/json') === true && isOfThisPage(request);
