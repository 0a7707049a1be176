import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import { isOfThisPage } from '../page-server.ts';
import { bytesOf, sendFile } from '../send-file.ts';
import { discordVoiceMessage, MAX_SPOKEN_CHARACTERS } from '../recording/voice-message.ts';
import { sendJson } from './api.ts';
import type { Filled } from './interaction-payloads.ts';
import { readBody } from './body.ts';
import type { Discord } from './discord.ts';
import type { PersonFile } from './persons.ts';
import type { UserInteractions } from './user-interactions.ts';

const FILES_MOST = 10;

const fileShape = v.object({
  name: v.pipe(v.string(), v.minLength(1), v.maxLength(255)),
  contentType: v.optional(v.string()),
  /** base64 */
  content: v.string(),
});
/** The text of a voice message. */
const spokenShape = v.object({
  spoken: v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_SPOKEN_CHARACTERS)),
});
const user = v.string();
const valueShape = v.union([v.string(), v.number(), v.boolean(), fileShape]);
const optionsShape = v.record(v.string(), valueShape);
const filledShape = v.record(
  v.string(),
  v.union([v.string(), v.boolean(), v.array(v.string()), v.array(fileShape)]),
);

const fileOf = ({ name, contentType, content }: v.InferOutput<typeof fileShape>): PersonFile => ({
  name,
  content: Buffer.from(content, 'base64'),
  ...(contentType === undefined || contentType === '' ? {} : { contentType }),
});

const optionsOf = (options: v.InferOutput<typeof optionsShape>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? fileOf(value) : value]),
  );

function filledOf(filled: v.InferOutput<typeof filledShape>): Filled {
  const values: Record<string, Filled[string]> = {};
  for (const [name, value] of Object.entries(filled)) values[name] = fieldOf(value);
  return values;
}

function fieldOf(value: v.InferOutput<typeof filledShape>[string]): Filled[string] {
  if (!Array.isArray(value)) return value;
  const files = value.flatMap((one) => (typeof one === 'object' ? [fileOf(one)] : []));
  return files.length > 0 ? files : value.flatMap((one) => (typeof one === 'string' ? [one] : []));
}

const sayShape = v.object({
  user,
  channel: v.string(),
  text: v.pipe(v.string(), v.maxLength(4_000)),
  replyTo: v.optional(v.string()),
  /** Of the sending window: a message that is sent again after a lost response is not posted again. */
  nonce: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(25))),
  files: v.optional(v.pipe(v.array(v.union([fileShape, spokenShape])), v.maxLength(FILES_MOST))),
});
const messageShape = v.object({ user, message: v.string() });
const editShape = v.object({ user, message: v.string(), text: v.pipe(v.string(), v.minLength(1)) });
const reactShape = v.object({ user, message: v.string(), emoji: v.string(), on: v.boolean() });
const threadShape = v.object({ user, on: v.string(), name: v.string(), text: v.optional(v.string()) });
const slashShape = v.object({ user, channel: v.string(), name: v.string(), options: optionsShape });
const completeShape = v.object({ ...slashShape.entries, focused: v.string() });
const menuShape = v.object({ user, message: v.string(), name: v.string() });
const pressShape = v.object({
  user,
  message: v.string(),
  customId: v.string(),
  values: v.optional(v.array(v.string())),
});
const submitShape = v.object({ user, interaction: v.string(), filled: filledShape });

type Action = (core: Discord, side: UserInteractions, body: unknown) => Promise<object>;

/**
 * The actions of people on the page, by the last part of their path. Each throws for what Discord would not permit.
 */
const ACTIONS: Readonly<Record<string, Action>> = {
  async say(_core, side, body) {
    const { user: who, channel, text, replyTo, nonce, files = [] } = v.parse(sayShape, body);
    const voice = files.some((file) => 'spoken' in file);
    // As in Discord's client: a voice message cannot have text.
    if (voice && (files.length > 1 || text !== ''))
      throw new Error('A voice message has no words and no other files beside it.');
    const uploads = await Promise.all(
      files.map(async (file) => ('spoken' in file ? discordVoiceMessage(file.spoken) : fileOf(file))),
    );
    return { id: side.say(who, channel, text, { replyTo, nonce, voice, files: uploads }) };
  },
  async edit(core, _side, body) {
    const { user: who, message, text } = v.parse(editShape, body);
    core.edit(who, message, text);
    return {};
  },
  async remove(core, _side, body) {
    const { user: who, message } = v.parse(messageShape, body);
    core.remove(who, message);
    return {};
  },
  async react(core, _side, body) {
    const { user: who, message, emoji, on } = v.parse(reactShape, body);
    core.react(who, message, emoji, on);
    return {};
  },
  async thread(core, _side, body) {
    const { user: who, on, name, text } = v.parse(threadShape, body);
    return { id: core.thread(who, on, name, text) };
  },
  dm: async (core, _side, body) => ({ id: core.dm(v.parse(v.object({ user }), body).user) }),
  async slash(_core, side, body) {
    const { user: who, channel, name, options } = v.parse(slashShape, body);
    return await side.slash(who, channel, name, optionsOf(options));
  },
  async complete(_core, side, body) {
    const { user: who, channel, name, options, focused } = v.parse(completeShape, body);
    return { choices: (await side.complete(who, channel, name, optionsOf(options), focused)) ?? [] };
  },
  async menu(_core, side, body) {
    const { user: who, message, name } = v.parse(menuShape, body);
    return await side.menu(who, message, name);
  },
  async press(_core, side, body) {
    const { user: who, message, customId, values } = v.parse(pressShape, body);
    return await side.press(who, message, customId, values);
  },
  async submit(_core, side, body) {
    const { user: who, interaction, filled } = v.parse(submitShape, body);
    return await side.submit(who, interaction, filledOf(filled));
  },
};

/** Performs an action of a person on the page; false if the path is no action. */
export async function serveAction(
  core: Discord,
  side: UserInteractions,
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
  try {
    sendJson(response, 200, await action(core, side, (await readBody(request)).payload));
  } catch (error) {
    const words = error instanceof Error && !v.isValiError(error) ? error.message : 'Not understood';
    sendJson(response, 400, { error: words });
  }
  return true;
}

/** Pictures, audio and videos are displayed; other files are downloads. No file may run scripts. */
export function servePageFile(
  { state }: Discord,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): boolean {
  const file = state.files.get(path.slice('/page/file/'.length));
  if (!file) return false;
  const { id, contentType, filename } = file.file;
  const inlineType = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)/.exec(
    contentType,
  )?.[0];
  const headers = {
    'content-type': inlineType ?? 'application/octet-stream',
    'content-disposition': `${inlineType === undefined ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(filename)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  };
  sendFile(request, response, { id, content: bytesOf(file) }, headers);
  return true;
}

/** Only JSON is accepted, which a page of another origin cannot send without a preflight. */
const fromThisPage = (request: IncomingMessage): boolean =>
  request.headers['content-type']?.startsWith('application/json') === true && isOfThisPage(request);
