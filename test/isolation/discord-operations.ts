import { menu, press as pressing, slash, submit as submitting } from '../simulators/discord/asking.ts';
import { flat } from '../simulators/discord/check/components.ts';
import { isJson, type Json, listOf, stringOf } from '../simulators/discord/json.ts';
import { ALLOWABLE, someBot } from './bots.ts';
import { namesIn } from './check.ts';
import { pick, someCommand } from './commands.ts';
import { GUILDS, tenantOf } from './discord-places.ts';
import {
  actorOf,
  attempted,
  conversationOf,
  inChat,
  interacting,
  messagesIn,
  RECENT,
  scene,
  signedByDiscord,
  told,
} from './discord-scene.ts';
import { someFiles, wordsIn } from './media-operations.ts';
import type { Audience } from './model.ts';
import type { Operation } from './operation.ts';
import { placeOf } from './watch.ts';
import type { World } from './world.ts';

/** Asks by naming the bot, by replying to it, or in the chat with it. */
export function say(world: World): Operation {
  const at = scene(world);
  const { user, channel } = at;
  const seen = messagesIn(world, channel).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const answered = world.random() < 0.4 ? pick(world.random, seen.slice(-RECENT)) : undefined;
  const tenant = tenantOf(world.discord, channel);
  const isDirect = tenant === '@me';
  const audience = {
    kind: 'conversation' as const,
    tenant,
    channel: placeOf(world, channel),
    conversation: '',
  };
  const marker = world.checker.plant(audience, user.id);
  const name = world.random() < 0.7 ? '@parley ' : '';
  let id = '';
  const bot = someBot(world, 'discord');
  const act = told(
    world,
    () => {
      const reply = answered && { replyTo: answered.id };
      const files = someFiles(world, audience, user.id).map((one) => ({
        ...one,
        content: Buffer.from(one.content),
      }));
      id = world.discord.say(user.id, `${name}what about ${marker}?`, { channel, ...reply, files });
    },
    bot,
  );
  const isThread = world.discord.state.channels.get(channel)?.parent !== undefined;
  const root = answered ? (world.conversations.get(answered.id) ?? answered.id) : id;
  audience.conversation = isDirect || isThread ? channel : root;
  const actor = { ...actorOf(world, at, answered ? 'reply' : 'say', audience.conversation), bot };
  world.conversations.set(id, audience.conversation);
  return { actor, act, detail: marker };
}

/** Changes or deletes a message of one's own. */
export function change(world: World): Operation | undefined {
  const at = scene(world);
  const { user, channel } = at;
  const own = messagesIn(world, channel).filter(({ author }) => author === user.id);
  const message = pick(world.random, own.slice(-RECENT));
  if (!message) return undefined;
  const actor = actorOf(world, at, 'reply changed', world.conversations.get(message.id) ?? message.id);
  const isEdit = world.random() < 0.6;
  const { tenant, conversation } = actor;
  const touch = (): void => {
    if (!isEdit) return world.discord.remove(user.id, message.id);
    const here: Audience = { kind: 'conversation', tenant, channel: actor.channel, conversation };
    world.discord.edit(user.id, message.id, `@parley rather ${world.checker.plant(here, user.id)}`);
  };
  return attempted(() => ({ actor, act: told(world, touch), detail: isEdit ? 'edit' : 'delete' }));
}

/** Gives a command, or types at one. */
export function command(world: World): Operation | undefined {
  const at = scene(world);
  const { user, channel } = at;
  const tenant = tenantOf(world.discord, channel);
  const place = placeOf(world, channel);
  const own: Audience = { kind: 'person', tenant, user: user.id };
  const given = someCommand({
    random: world.random,
    checker: world.checker,
    user: user.id,
    bot: ALLOWABLE.discord,
    other: pick(world.random, [...world.discord.state.users.keys()]) ?? '',
    here: { kind: 'conversation', tenant, channel: place, conversation: conversationOf(world, at, false) },
    // Chats without a guild share nothing.
    everywhere: tenant === '@me' ? own : { kind: 'tenant', tenant },
    own,
  });
  const secret = given.secret === true;
  const actor = actorOf(world, at, given.operation, conversationOf(world, at, secret), secret);
  world.allowBots(actor, ALLOWABLE.discord);
  const focus = given.options['name'] === undefined || world.random() > 0.1 ? undefined : 'name';
  return attempted(() => {
    const asked = slash(world.discord.world, user, channel, given.name, given.options, focus);
    const payload = inChat(asked.payload, at);
    const detail = `/${given.name} ${JSON.stringify(given.options)}`;
    return { actor, act: interacting(world, actor, asked, payload), detail };
  });
}

/** Presses a button or chooses; `forge` changes what the control says before it is sent. */
export function press(world: World, forge?: (data: Json) => Json): Operation | undefined {
  const at = scene(world);
  const { user, channel } = at;
  const { applicationId } = world.discord.identity;
  const seen = messagesIn(world, channel).filter(
    ({ author, ephemeralTo }) =>
      author === applicationId && (ephemeralTo === undefined || ephemeralTo === user.id),
  );
  const message = pick(world.random, seen.slice(-RECENT));
  const controls = message?.components.flatMap(flat).filter((one) => stringOf(one['custom_id']) !== '') ?? [];
  const control = pick(world.random, controls);
  if (!message || !control) return undefined;
  const option = pick(world.random, listOf(control['options']));
  const customId = stringOf(control['custom_id']);
  return attempted(() => {
    const values = option && [stringOf(option['value'])];
    const asked = pressing(world.discord.world, user, message, customId, values);
    const data = isJson(asked.payload['data']) ? asked.payload['data'] : {};
    const sent = forge ? forge(data) : data;
    const text = JSON.stringify(sent);
    const origin = world.origins.get(message.id);
    // What a changed control stands for is not what it was shown with: private conversations are named so.
    const isOwn = forge ? /\|p\d/u.test(text) : origin?.secret === true && origin.user === user.id;
    const operation = /forget\./u.test(text) ? 'forget' : forge ? 'reply forged' : nameOf(text);
    const conversation = world.conversations.get(message.id) ?? conversationOf(world, at, false);
    const given = forge && namesIn(text);
    const actor = { ...actorOf(world, at, operation, conversation, isOwn), given };
    world.foresee(actor, text, message.content + JSON.stringify(message.components));
    world.keepAction(data);
    const payload = inChat({ ...asked.payload, data: sent }, at);
    return { actor, act: interacting(world, actor, asked, payload), detail: text.slice(0, 200) };
  });
}

const nameOf = (text: string): string =>
  /settings\.|persona\.|model\./u.test(text)
    ? 'setting pressed'
    : /video\./u.test(text)
      ? 'video of a reply pressed'
      : 'reply by a press';

/** Chooses a command in the menu of a message. */
export function menuCommand(world: World): Operation | undefined {
  const at = scene(world);
  const seen = messagesIn(world, at.channel).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const withFiles = world.random() < 0.3 ? seen.filter(({ files }) => files.length > 0) : seen;
  const message = pick(world.random, withFiles.slice(-RECENT));
  const name = pick(world.random, [
    'Summarise thread',
    'Ask about this',
    'Why this answer',
    'Transcribe',
    'Animate',
  ]);
  if (!message || name === undefined) return undefined;
  const secret = name === 'Summarise thread' || name === 'Ask about this';
  const conversation = world.conversations.get(message.id) ?? message.id;
  const actor = actorOf(world, at, `summary or about: ${name}`, conversation, secret);
  if (name === 'Ask about this')
    world.checker.quote(
      JSON.stringify(message) + wordsIn(world.discord.state.files, message.files),
      at.user.id,
    );
  return attempted(() => {
    const asked = menu(world.discord.world, at.user, message, name);
    return { actor, act: interacting(world, actor, asked, inChat(asked.payload, at)), detail: name };
  });
}

/** Sends the form that somebody was shown. */
export function submit(world: World): Operation | undefined {
  const forms = [...world.discord.state.interactions.values()].filter(({ answered }) => answered === 9);
  const form = pick(world.random, forms.slice(-RECENT));
  const user = form && world.discord.state.users.get(form.user);
  if (!form?.shown || !user) return undefined;
  const at = { user, channel: form.channel };
  const about = stringOf(form.shown['custom_id']);
  const secret = about.startsWith('ask.about');
  const operation = /settings|persona|model/u.test(about)
    ? 'setting by form'
    : /video\./u.test(about)
      ? 'video about by form'
      : 'form about';
  const actor = actorOf(world, at, operation, conversationOf(world, at, secret), secret);
  const filled: Record<string, string> = {};
  for (const part of listOf(form.shown['components'])) {
    const field = isJson(part['component']) ? part['component'] : listOf(part['components'])[0];
    if (field?.['type'] !== 4) continue;
    filled[stringOf(field['custom_id'])] = world
      .fillIn(actor, about)
      .slice(0, Number(field['max_length'] ?? 4_000));
  }
  return attempted(() => {
    const asked = submitting(world.discord.world, user, form, filled);
    return { actor, act: interacting(world, actor, asked, inChat(asked.payload, at)), detail: about };
  });
}

/** The bot leaves a guild, or somebody removes the app that is their own. */
export function leave(world: World): Operation {
  const guild = pick(world.random, [GUILDS[0], GUILDS[1]]) ?? GUILDS[0];
  const user = pick(
    world.random,
    [...world.discord.state.users.values()].filter(({ bot }) => bot !== true),
  );
  const isGuild = world.random() < 0.3 || !user;
  const base = { channel: '', conversation: '', secret: false, admin: true };
  if (isGuild) {
    world.ownKeys.set(guild, undefined, world.time.now());
    const actor = { ...base, tenant: guild, user: '', operation: 'leave' };
    return { actor, act: () => world.system.gateway('GUILD_DELETE', { id: guild }) };
  }
  const actor = { ...base, tenant: '@me', user: user.id, operation: 'deauthorize' };
  const event = {
    version: 1,
    application_id: world.discord.identity.applicationId,
    type: 1,
    event: {
      type: 'APPLICATION_DEAUTHORIZED',
      timestamp: new Date(world.time.now()).toISOString(),
      data: { user: { id: user.id, username: user.username } },
    },
  };
  return { actor, act: () => world.system.discordEvents(signedByDiscord(world, event)) };
}

/** Opens a thread on a message, where everybody goes on. */
export function openThread(world: World): Operation | undefined {
  const at = scene(world);
  const message = pick(
    world.random,
    messagesIn(world, at.channel)
      .filter(({ ephemeralTo }) => ephemeralTo === undefined)
      .slice(-RECENT),
  );
  if (!message) return undefined;
  const actor = actorOf(world, at, 'open a thread', message.id);
  return attempted(() => ({
    actor,
    act: told(world, () => world.discord.thread(at.user.id, message.id, 'A thread')),
  }));
}
