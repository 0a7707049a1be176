import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod/mini';
import { isOfThisPage } from '../page-server.ts';
import { bytesOf, sendFile } from '../send-file.ts';
import { discordVoiceMessage, MAX_SPOKEN_CHARACTERS } from '../recording/voice-message.ts';
import { sendJson } from './api.ts';
import type { Filled } from './asking.ts';
import { readBody } from './body.ts';
import type { Discord } from './discord.ts';
import type { PersonFile } from './persons.ts';
import type { Side } from './side.ts';

const FILES_MOST = 10;

const fileShape = z.object({
  name: z.string().check(z.minLength(1), z.maxLength(255)),
  contentType: z.optional(z.string()),
  /** base64 */
  content: z.string(),
});
/** Words that are to be a voice message. */
const spokenShape = z.object({
  spoken: z.string().check(z.minLength(1), z.maxLength(MAX_SPOKEN_CHARACTERS)),
});
const user = z.string();
const valueShape = z.union([z.string(), z.number(), z.boolean(), fileShape]);
const optionsShape = z.record(z.string(), valueShape);
const filledShape = z.record(
  z.string(),
  z.union([z.string(), z.boolean(), z.array(z.string()), z.array(fileShape)]),
);

const fileOf = ({ name, contentType, content }: z.infer<typeof fileShape>): PersonFile => ({
  name,
  content: Buffer.from(content, 'base64'),
  ...(contentType === undefined || contentType === '' ? {} : { contentType }),
});

const optionsOf = (options: z.infer<typeof optionsShape>) =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [name, typeof value === 'object' ? fileOf(value) : value]),
  );

function filledOf(filled: z.infer<typeof filledShape>): Filled {
  const values: Record<string, Filled[string]> = {};
  for (const [name, value] of Object.entries(filled)) values[name] = fieldOf(value);
  return values;
}

function fieldOf(value: z.infer<typeof filledShape>[string]): Filled[string] {
  if (!Array.isArray(value)) return value;
  const files = value.flatMap((one) => (typeof one === 'object' ? [fileOf(one)] : []));
  return files.length > 0 ? files : value.flatMap((one) => (typeof one === 'string' ? [one] : []));
}

const sayShape = z.object({
  user,
  channel: z.string(),
  text: z.string().check(z.maxLength(4_000)),
  replyTo: z.optional(z.string()),
  /** Of the window that sends it: a message that comes again, as its answer was lost, is not posted again. */
  nonce: z.optional(z.string().check(z.minLength(1), z.maxLength(25))),
  files: z.optional(z.array(z.union([fileShape, spokenShape])).check(z.maxLength(FILES_MOST))),
});
const messageShape = z.object({ user, message: z.string() });
const editShape = z.object({ user, message: z.string(), text: z.string().check(z.minLength(1)) });
const reactShape = z.object({ user, message: z.string(), emoji: z.string(), on: z.boolean() });
const threadShape = z.object({ user, on: z.string(), name: z.string(), text: z.optional(z.string()) });
const slashShape = z.object({ user, channel: z.string(), name: z.string(), options: optionsShape });
const completeShape = z.object({ ...slashShape.shape, focused: z.string() });
const menuShape = z.object({ user, message: z.string(), name: z.string() });
const pressShape = z.object({
  user,
  message: z.string(),
  customId: z.string(),
  values: z.optional(z.array(z.string())),
});
const submitShape = z.object({ user, interaction: z.string(), filled: filledShape });

type Action = (core: Discord, side: Side, body: unknown) => Promise<object>;

/** What people do on the page, by the last part of its path. Each throws for what Discord would not let them do. */
const ACTIONS: Readonly<Record<string, Action>> = {
  async say(_core, side, body) {
    const { user: who, channel, text, replyTo, nonce, files = [] } = sayShape.parse(body);
    const voice = files.some((file) => 'spoken' in file);
    // As Discord's own windows are: there a voice message is recorded with nothing else in the box.
    if (voice && (files.length > 1 || text !== ''))
      throw new Error('A voice message has no words and no other files beside it.');
    const uploads = await Promise.all(
      files.map(async (file) => ('spoken' in file ? discordVoiceMessage(file.spoken) : fileOf(file))),
    );
    return { id: side.say(who, channel, text, { replyTo, nonce, voice, files: uploads }) };
  },
  async edit(core, _side, body) {
    const { user: who, message, text } = editShape.parse(body);
    core.edit(who, message, text);
    return {};
  },
  async remove(core, _side, body) {
    const { user: who, message } = messageShape.parse(body);
    core.remove(who, message);
    return {};
  },
  async react(core, _side, body) {
    const { user: who, message, emoji, on } = reactShape.parse(body);
    core.react(who, message, emoji, on);
    return {};
  },
  async thread(core, _side, body) {
    const { user: who, on, name, text } = threadShape.parse(body);
    return { id: core.thread(who, on, name, text) };
  },
  dm: async (core, _side, body) => ({ id: core.dm(z.object({ user }).parse(body).user) }),
  async slash(_core, side, body) {
    const { user: who, channel, name, options } = slashShape.parse(body);
    return await side.slash(who, channel, name, optionsOf(options));
  },
  async complete(_core, side, body) {
    const { user: who, channel, name, options, focused } = completeShape.parse(body);
    return { choices: (await side.complete(who, channel, name, optionsOf(options), focused)) ?? [] };
  },
  async menu(_core, side, body) {
    const { user: who, message, name } = menuShape.parse(body);
    return await side.menu(who, message, name);
  },
  async press(_core, side, body) {
    const { user: who, message, customId, values } = pressShape.parse(body);
    return await side.press(who, message, customId, values);
  },
  async submit(_core, side, body) {
    const { user: who, interaction, filled } = submitShape.parse(body);
    return await side.submit(who, interaction, filledOf(filled));
  },
};

/** Carries out what a person does on the page; false if the path is of no action. */
export async function serveAction(
  core: Discord,
  side: Side,
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
    const words =
      error instanceof Error && !(error instanceof z.core.$ZodError) ? error.message : 'Not understood';
    sendJson(response, 400, { error: words });
  }
  return true;
}

/** Shows pictures, sounds and films; anything else is for saving. Nothing in a file may run. */
export function servePageFile(
  { state }: Discord,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): boolean {
  const known = state.files.get(path.slice('/page/file/'.length));
  if (!known) return false;
  const { id, contentType, filename } = known.file;
  const shown = /^(?:image\/(?:png|jpeg|gif|webp)|audio\/[\w.+-]+|video\/[\w.+-]+)/.exec(contentType)?.[0];
  const headers = {
    'content-type': shown ?? 'application/octet-stream',
    'content-disposition': `${shown === undefined ? 'attachment' : 'inline'}; filename*=UTF-8''${encodeURIComponent(filename)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, max-age=3600',
  };
  sendFile(request, response, { id, content: bytesOf(known) }, headers);
  return true;
}

/** Only JSON is taken, which a page of another origin cannot send unasked. */
const fromThisPage = (request: IncomingMessage): boolean =>
  request.headers['content-type']?.startsWith('application/json') === true && isOfThisPage(request);
