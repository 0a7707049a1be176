import {
  menu,
  press as pressing,
  slash,
  submit as submitting,
} from '../simulators/discord/interaction-payloads.ts';
import { flat } from '../simulators/discord/check/components.ts';
import { isJson, type Json, listOf, stringOf } from '../simulators/discord/json.ts';
import type { Message } from '../simulators/discord/state.ts';
import { ALLOWABLE, someBot } from './other-bots.ts';
import { namesIn, startedVideoIn, videoIn } from './access-checker.ts';
import { type ChooseCommand, pick, someCommand } from './commands.ts';
import { GUILDS, tenantOf } from './discord-tenants.ts';
import {
  actorOf,
  attempted,
  conversationOf,
  type DiscordActor,
  inChat,
  interacting,
  messagesIn,
  RECENT,
  pickActor,
  signedByDiscord,
  deliverEvents,
} from './discord-actor.ts';
import { type ChooseFiles, someFiles, wordsIn } from './media-operations.ts';
import type { Audience } from './access-model.ts';
import { forgedName, type Operation } from './operation.ts';
import { placeOf } from './observe-platforms.ts';
import type { IsolationHarness } from './harness.ts';

/** Asks with a mention, with a reply, or in a direct message. */
export function say(harness: IsolationHarness, chooseFiles: ChooseFiles = someFiles): Operation {
  const at = pickActor(harness);
  const { user, channel } = at;
  const messages = messagesIn(harness, channel).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const answered = harness.random() < 0.4 ? pick(harness.random, messages.slice(-RECENT)) : undefined;
  const tenant = tenantOf(harness.discord, channel);
  const isDirect = tenant === '@me';
  const place = placeOf(harness, channel);
  const audience = { kind: 'conversation' as const, tenant, channel: place, conversation: '' };
  const marker = harness.checker.plant(audience, user.id);
  const name = harness.random() < 0.7 ? '@parley ' : '';
  let id = '';
  const author = someBot(harness, 'discord');
  // Other bots do not write in the direct messages of a person with this bot.
  const bot = isDirect ? undefined : author;
  const act = deliverEvents(
    harness,
    () => {
      const reply = answered && { replyTo: answered.id };
      const files = chooseFiles(harness, audience, user.id).map((one) => ({
        ...one,
        content: Buffer.from(one.content),
      }));
      id = harness.discord.say(user.id, `${name}what about ${marker}?`, { channel, ...reply, files });
    },
    bot,
  );
  const isThread = harness.discord.state.channels.get(channel)?.parent !== undefined;
  const root = answered ? (harness.conversations.get(answered.id) ?? answered.id) : id;
  audience.conversation = isDirect || isThread ? channel : root;
  const actor = { ...actorOf(harness, at, answered ? 'reply' : 'say', audience.conversation), bot };
  harness.conversations.set(id, audience.conversation);
  return { actor, act, detail: marker };
}

/** Edits or deletes a message of the same person. */
export function change(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const { user, channel } = at;
  const own = messagesIn(harness, channel).filter(({ author }) => author === user.id);
  const message = pick(harness.random, own.slice(-RECENT));
  if (!message) return undefined;
  const actor = actorOf(harness, at, 'reply changed', harness.conversations.get(message.id) ?? message.id);
  const isEdit = harness.random() < 0.6;
  const { tenant, conversation } = actor;
  const touch = (): void => {
    if (!isEdit) return harness.discord.remove(user.id, message.id);
    const here: Audience = { kind: 'conversation', tenant, channel: actor.channel, conversation };
    const audience = harness.addedMessages.audienceOf(message.id, here);
    harness.discord.edit(user.id, message.id, `@parley rather ${harness.checker.plant(audience, user.id)}`);
  };
  return attempted(() => ({ actor, act: deliverEvents(harness, touch), detail: isEdit ? 'edit' : 'delete' }));
}

/** Sends a random command, or requests autocomplete for it. */
export const command = (harness: IsolationHarness): Operation | undefined =>
  commandBy(harness, pickActor(harness), someCommand);

/** Sends the command that this person chooses there, or requests autocomplete for it. */
export function commandBy(
  harness: IsolationHarness,
  at: DiscordActor,
  choose: ChooseCommand,
): Operation | undefined {
  const { user, channel } = at;
  const tenant = tenantOf(harness.discord, channel);
  const place = placeOf(harness, channel);
  const own: Audience = { kind: 'person', tenant, user: user.id };
  const choice = choose({
    random: harness.random,
    checker: harness.checker,
    user: user.id,
    bot: ALLOWABLE.discord,
    other: pick(harness.random, [...harness.discord.state.users.keys()]) ?? '',
    here: { kind: 'conversation', tenant, channel: place, conversation: conversationOf(harness, at, false) },
    // Chats without a guild share nothing.
    everywhere: tenant === '@me' ? own : { kind: 'tenant', tenant },
    own,
    channel,
    channels: [...harness.discord.state.channels.values()]
      .filter(({ guild }) => guild === tenant)
      .map(({ id }) => id),
  });
  const secret = choice.secret === true;
  const actor = actorOf(harness, at, choice.operation, conversationOf(harness, at, secret), secret);
  harness.allowBots(actor, ALLOWABLE.discord);
  const focus = choice.options['name'] === undefined || harness.random() > 0.1 ? undefined : 'name';
  return attempted(() => {
    const request = slash(harness.discord.context, user, channel, choice.name, choice.options, focus);
    const payload = inChat(request.payload, at);
    const detail = `/${choice.name} ${JSON.stringify(choice.options)}`;
    return { actor, act: interacting(harness, actor, request, payload), detail };
  });
}

/** A message that a person sees, and which of its controls they choose from. */
type ControlChoice = { readonly at: DiscordActor; readonly message: Message; readonly action: RegExp };

/** Clicks a button or selects an option; `forge` changes the control before it is sent. */
export function press(harness: IsolationHarness, forge?: (data: Json) => Json): Operation | undefined {
  const at = pickActor(harness);
  const { user, channel } = at;
  const { applicationId } = harness.discord.identity;
  const messages = messagesIn(harness, channel).filter(
    ({ author, ephemeralTo }) =>
      author === applicationId && (ephemeralTo === undefined || ephemeralTo === user.id),
  );
  const message = pick(harness.random, messages.slice(-RECENT));
  return message && pressOn(harness, { at, message, action: /./u }, forge);
}

/** Uses one of the controls of a message that match `action`. */
export function pressOn(
  harness: IsolationHarness,
  { at, message, action }: ControlChoice,
  forge?: (data: Json) => Json,
): Operation | undefined {
  const { user } = at;
  const controls = message.components.flatMap(flat).filter((one) => action.test(stringOf(one['custom_id'])));
  const control = pick(harness.random, controls);
  if (!control) return undefined;
  const option = pick(harness.random, listOf(control['options']));
  const customId = stringOf(control['custom_id']);
  return attempted(() => {
    const values = option && [stringOf(option['value'])];
    const request = pressing(harness.discord.context, user, message, customId, values);
    const data = isJson(request.payload['data']) ? request.payload['data'] : {};
    const sent = forge ? forge(data) : data;
    const text = JSON.stringify(sent);
    const origin = harness.origins.get(message.id);
    // A forged control does not stand for the conversation it was shown with: `|p` and a digit names a private one.
    const isOwn = forge ? /\|p\d/u.test(text) : origin?.secret === true && origin.user === user.id;
    const operation = /forget\./u.test(text) ? 'forget' : forge ? forgedName('reply', text) : nameOf(text);
    const conversation = harness.conversations.get(message.id) ?? conversationOf(harness, at, false);
    const startedVideo = startedVideoIn(text);
    const markers = { startedVideo, ...(forge && { forgedNames: namesIn(text), video: videoIn(text) }) };
    const actor = { ...actorOf(harness, at, operation, conversation, isOwn), ...markers };
    harness.foresee(actor, text, message.content + JSON.stringify(message.components));
    harness.keepAction(data);
    const payload = inChat({ ...request.payload, data: sent }, at);
    return { actor, act: interacting(harness, actor, request, payload), detail: text.slice(0, 200) };
  });
}

const nameOf = (text: string): string =>
  /schedule\./u.test(text)
    ? 'schedule pressed'
    : /settings\.|persona\.|model\./u.test(text)
      ? 'setting pressed'
      : /video\./u.test(text)
        ? 'video of a reply pressed'
        : /tools\./u.test(text)
          ? 'tools pressed in a reply'
          : 'reply by a press';

/** Runs a message command. */
export function menuCommand(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const messages = messagesIn(harness, at.channel).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const withFiles = harness.random() < 0.3 ? messages.filter(({ files }) => files.length > 0) : messages;
  const message = pick(harness.random, withFiles.slice(-RECENT));
  const name = pick(harness.random, [
    'Summarise thread',
    'Ask about this',
    'Why this answer',
    'Transcribe',
    'Translate recording',
    'Speak translation',
    'Animate',
  ]);
  if (!message || name === undefined) return undefined;
  const secret = name === 'Summarise thread' || name === 'Ask about this';
  const conversation = harness.conversations.get(message.id) ?? message.id;
  const actor = actorOf(harness, at, `summary or about: ${name}`, conversation, secret);
  // The draft of the modal contains the message, and the person may export their drafts.
  if (name === 'Ask about this' || name === 'Animate')
    harness.checker.quote(
      JSON.stringify(message) + wordsIn(harness.discord.state.files, message.files),
      at.user.id,
    );
  return attempted(() => {
    const request = menu(harness.discord.context, at.user, message, name);
    return { actor, act: interacting(harness, actor, request, inChat(request.payload, at)), detail: name };
  });
}

/** Submits a modal that the person has open. */
export function submit(harness: IsolationHarness): Operation | undefined {
  const forms = [...harness.discord.state.interactions.values()].filter(({ answered }) => answered === 9);
  const form = pick(harness.random, forms.slice(-RECENT));
  const user = form && harness.discord.state.users.get(form.user);
  if (!form?.shown || !user || !harness.members('', form.channel).includes(user.id)) return undefined;
  const at = { user, channel: form.channel };
  const about = stringOf(form.shown['custom_id']);
  const secret = about.startsWith('ask.about');
  const operation = /settings|persona|model/u.test(about)
    ? 'setting by form'
    : /video\./u.test(about)
      ? 'video about by form'
      : 'form about';
  const startedVideo = startedVideoIn(about);
  const actor = {
    ...actorOf(harness, at, operation, conversationOf(harness, at, secret), secret),
    startedVideo,
  };
  const filled: Record<string, string> = {};
  for (const part of listOf(form.shown['components'])) {
    const field = isJson(part['component']) ? part['component'] : listOf(part['components'])[0];
    if (field?.['type'] !== 4) continue;
    filled[stringOf(field['custom_id'])] = harness
      .fillIn(actor, about)
      .slice(0, Number(field['max_length'] ?? 4_000));
  }
  return attempted(() => {
    const request = submitting(harness.discord.context, user, form, filled);
    return { actor, act: interacting(harness, actor, request, inChat(request.payload, at)), detail: about };
  });
}

/** Removes the bot from a guild, or the app of a person. */
export function leave(harness: IsolationHarness): Operation {
  const guild = pick(harness.random, [GUILDS[0], GUILDS[1]]) ?? GUILDS[0];
  const user = pick(
    harness.random,
    [...harness.discord.state.users.values()].filter(({ bot }) => bot !== true),
  );
  const isGuild = harness.random() < 0.3 || !user;
  const base = { channel: '', conversation: '', secret: false, admin: true };
  if (isGuild) {
    harness.ownKeys.set(guild, undefined, harness.time.now());
    harness.schedules.uninstall(guild);
    const actor = { ...base, tenant: guild, user: '', operation: 'leave' };
    return { actor, act: () => harness.system.gateway('GUILD_DELETE', { id: guild }) };
  }
  const actor = { ...base, tenant: '@me', user: user.id, operation: 'deauthorize' };
  const event = {
    version: 1,
    application_id: harness.discord.identity.applicationId,
    type: 1,
    event: {
      type: 'APPLICATION_DEAUTHORIZED',
      timestamp: new Date(harness.time.now()).toISOString(),
      data: { user: { id: user.id, username: user.username } },
    },
  };
  return { actor, act: () => harness.system.discordEvents(signedByDiscord(harness, event)) };
}

/** Opens a thread on a message. */
export function openThread(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const message = pick(
    harness.random,
    messagesIn(harness, at.channel)
      .filter(({ ephemeralTo }) => ephemeralTo === undefined)
      .slice(-RECENT),
  );
  if (!message) return undefined;
  const actor = actorOf(harness, at, 'open a thread', message.id);
  return attempted(() => ({
    actor,
    act: deliverEvents(harness, () => harness.discord.thread(at.user.id, message.id, 'A thread')),
  }));
}
