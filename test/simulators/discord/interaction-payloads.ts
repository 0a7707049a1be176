import { createHmac } from 'node:crypto';
import { flat } from './check/components.ts';
import { INTERACTION_TYPE } from './flags.ts';
import { isJson, type Json, listOf, numberOf, stringOf } from './json.ts';
import { type Given, optionsOf } from './options.ts';
import { keep, placeOfPerson, type PersonFile } from './persons.ts';
import {
  authorizingOwners,
  presentFile,
  presentMember,
  presentMessage,
  presentPartialChannel,
  presentUser,
} from './present.ts';
import { record } from './record.ts';
import { commandNamed } from './routes/commands.ts';
import type { Channel, Interaction, Message, User } from './state.ts';
import { permissionsIn } from './permissions.ts';
import { CONTEXT, contextOf, fileLimit, isUserInstall, type SimulatorContext } from './context.ts';
import { OWNER_PERMISSIONS, PERSON_PERMISSIONS } from './flags.ts';

/** The values of a modal, by the fields' `custom_id`. */
export type Filled = Readonly<Record<string, string | readonly string[] | boolean | readonly PersonFile[]>>;

/** An interaction as it is sent to the app. */
export type Asked = { readonly interaction: Interaction; readonly payload: Json };

type Begun = Pick<Interaction, 'type' | 'name' | 'commandType' | 'source' | 'form'> & {
  data: Json;
  message?: Json;
};

/**
 * A person sends a slash command, with subcommands after a space. `focused` names an option that is being typed, for
 * autocomplete. Throws for what Discord's client would not send.
 */
export function slash(
  context: SimulatorContext,
  user: User,
  place: string,
  name: string,
  values: Given,
  focused?: string,
): Asked {
  const channel = placeOfPerson(context, user, place);
  const [first = '', ...sub] = name.split(' ');
  const command = commandFor(context, channel, 1, first);
  const { options, resolved } = optionsOf(context, channel, command, sub, values, focused);
  const data: Json = {
    id: command['id'] ?? '',
    name: command['name'] ?? '',
    type: 1,
    ...(options.length > 0 ? { options } : {}),
    ...(Object.keys(resolved).length > 0 ? { resolved } : {}),
  };
  const type = focused === undefined ? INTERACTION_TYPE.command : INTERACTION_TYPE.autocomplete;
  return ask(context, user, channel, { type, name: stringOf(command['name']), commandType: 1, data });
}

/** A person runs a message command. */
export function menu(context: SimulatorContext, user: User, message: Message, name: string): Asked {
  const channel = placeOfPerson(context, user, message.channel);
  const command = commandFor(context, channel, 3, name);
  const data: Json = {
    id: command['id'] ?? '',
    name: command['name'] ?? '',
    type: 3,
    target_id: message.id,
    // The content is included also without MESSAGE_CONTENT.
    resolved: { messages: { [message.id]: presentMessage(context, message) } },
  };
  return ask(context, user, channel, {
    type: INTERACTION_TYPE.command,
    name: stringOf(command['name']),
    commandType: 3,
    data,
  });
}

/** A person runs a user command. */
export function personMenu(
  context: SimulatorContext,
  user: User,
  target: User,
  place: string,
  name: string,
): Asked {
  const channel = placeOfPerson(context, user, place);
  const command = commandFor(context, channel, 2, name);
  const data: Json = {
    id: command['id'] ?? '',
    name: command['name'] ?? '',
    type: 2,
    target_id: target.id,
    resolved: { users: { [target.id]: presentUser(context, target.id) } },
  };
  return ask(context, user, channel, {
    type: INTERACTION_TYPE.command,
    name: stringOf(command['name']),
    commandType: 2,
    data,
  });
}

/** A person clicks a button, or selects `values` in a menu. */
export function press(
  context: SimulatorContext,
  user: User,
  message: Message,
  customId: string,
  values?: readonly string[],
): Asked {
  const channel = placeOfPerson(context, user, message.channel);
  if (message.ephemeralTo !== undefined && message.ephemeralTo !== user.id)
    throw new Error(`${user.username} does not see ${message.id}`);
  const component = message.components.flatMap(flat).find((one) => one['custom_id'] === customId);
  if (!component) throw new Error(`The message has no ${customId}`);
  if (component['disabled'] === true) throw new Error(`${customId} is switched off`);
  const picked = component['type'] === 2 ? {} : { values: pick(component, values ?? []) };
  const data: Json = {
    custom_id: customId,
    component_type: numberOf(component['type']),
    id: numberOf(component['id']),
    ...picked,
  };
  const presented = presentMessage(context, message);
  return ask(context, user, channel, {
    type: INTERACTION_TYPE.component,
    source: message.id,
    data,
    message: presented,
  });
}

function pick(component: Json, values: readonly string[]): string[] {
  const options = listOf(component['options']).map(({ value }) => stringOf(value));
  if (component['type'] === 3 && values.some((value) => !options.includes(value)))
    throw new Error(`No such choice among ${options.join(', ')}`);
  const least = typeof component['min_values'] === 'number' ? component['min_values'] : 1;
  const maxValues = typeof component['max_values'] === 'number' ? component['max_values'] : 1;
  if (values.length < least || values.length > maxValues) throw new Error(`Pick ${least} to ${maxValues}`);
  return [...values];
}

/** A person submits the modal of an interaction. */
export function submit(context: SimulatorContext, user: User, form: Interaction, filled: Filled): Asked {
  const { shown } = form;
  if (!shown || form.user !== user.id) throw new Error(`${user.username} has no form of ${form.id}`);
  const channel = placeOfPerson(context, user, form.channel);
  const attachments: Json = {};
  const components = listOf(shown['components']).map((one) =>
    fill(context, channel, one, filled, attachments),
  );
  const data: Json = {
    custom_id: shown['custom_id'] ?? '',
    components,
    ...(Object.keys(attachments).length > 0 ? { resolved: { attachments } } : {}),
  };
  const source =
    form.source === undefined ? undefined : context.state.messages.get(channel.id)?.get(form.source);
  const from = source ? { source: source.id, message: presentMessage(context, source) } : {};
  return ask(context, user, channel, { type: INTERACTION_TYPE.modal, form: form.id, data, ...from });
}

/** One part of a submitted modal: the field inside its label, with its value. */
function fill(
  context: SimulatorContext,
  channel: Channel,
  part: Json,
  filled: Filled,
  attachments: Json,
): Json {
  const { component } = part;
  const field = isJson(component) ? component : listOf(part['components'])[0];
  if (!field) return { type: numberOf(part['type']), id: numberOf(part['id']) };
  const id = stringOf(field['custom_id']);
  const value = filled[id] ?? stringOf(field['value']);
  const empty = value === '' || (Array.isArray(value) && value.length === 0);
  if (empty && field['required'] !== false) throw new Error(`${id} has to be filled in`);
  const sent = { type: numberOf(field['type']), id: numberOf(field['id']), custom_id: id };
  const answer = withValue(sent, value, (file) => {
    const upload = context.state.files.get(keep(context, channel.id, file, true))?.file;
    if (upload) attachments[upload.id] = presentFile(context, upload);
    return upload?.id ?? '';
  });
  const outer = { type: numberOf(part['type']), id: numberOf(part['id']) };
  return isJson(component) ? { ...outer, component: answer } : { ...outer, components: [answer] };
}

function withValue(sent: Json, value: Filled[string], keepFile: (file: PersonFile) => string): Json {
  if (typeof value === 'string' || typeof value === 'boolean') {
    const many = SELECTING.has(numberOf(sent['type']));
    return many ? { ...sent, values: value === '' ? [] : [String(value)] } : { ...sent, value };
  }
  return { ...sent, values: value.map((one) => (typeof one === 'string' ? one : keepFile(one))) };
}

/** Fields whose value is a list. */
const SELECTING: ReadonlySet<number> = new Set([3, 5, 6, 7, 8, 19, 22]);

function commandFor(context: SimulatorContext, channel: Channel, type: number, name: string): Json {
  const command = commandNamed(context, channel.guild, type, name);
  if (!command) throw new Error(`There is no command ${name}`);
  const { contexts, integration_types: installs } = command;
  if (Array.isArray(contexts) && !contexts.includes(contextOf(channel)))
    throw new Error(`${name} is not offered here`);
  const installKind = isUserInstall(context, channel) ? 1 : 0;
  const offered =
    contextOf(channel) === CONTEXT.botDm || !Array.isArray(installs) || installs.includes(installKind);
  if (!offered) throw new Error(`${name} is not offered here`);
  return command;
}

/** The common part of every interaction, which is also recorded. */
function ask(
  context: SimulatorContext,
  user: User,
  channel: Channel,
  { data, message, ...payload }: Begun,
): Asked {
  const id = context.ids.next();
  const token = tokenFor(context, id);
  const { guild } = channel;
  const userInstall = isUserInstall(context, channel);
  const interaction: Interaction = {
    id,
    token,
    ...payload,
    user: user.id,
    channel: channel.id,
    at: context.now(),
    followUps: 0,
    ...(guild === undefined ? {} : { guild }),
    ...(userInstall ? { userInstall } : {}),
  };
  record(context, { kind: 'interaction', interaction });
  return {
    interaction,
    payload: { ...envelope(context, user, channel, interaction), data, ...(message ? { message } : {}) },
  };
}

function envelope(
  context: SimulatorContext,
  user: User,
  channel: Channel,
  { id, token, type, guild, userInstall }: Interaction,
): Json {
  const locale = user.locale ?? 'en-US';
  const who = presentUser(context, user.id);
  const owns = guild !== undefined && context.state.guilds.get(guild)?.owner === user.id;
  const permissions = String(owns ? OWNER_PERMISSIONS : PERSON_PERMISSIONS);
  const inGuild: Json =
    guild === undefined
      ? { user: who }
      : {
          guild_id: guild,
          guild: { id: guild, locale: 'en-US', features: [] },
          guild_locale: 'en-US',
          member: { ...presentMember(context, guild, user.id), user: who, permissions },
        };
  return {
    id,
    application_id: context.identity.applicationId,
    type,
    token,
    version: 1,
    channel_id: channel.id,
    channel: presentPartialChannel(context, channel),
    ...inGuild,
    locale,
    app_permissions: String(permissionsIn(context, channel)),
    entitlements: [],
    authorizing_integration_owners: authorizingOwners(userInstall === true, user.id, guild),
    context: contextOf(channel),
    attachment_size_limit: fileLimit(context.state.guilds.get(guild ?? '')),
  };
}

function tokenFor({ cdnKey }: SimulatorContext, id: string): string {
  const secret = createHmac('sha256', cdnKey).update(`token of ${id}`).digest('base64url');
  return Buffer.from(`interaction:${id}:${secret}${secret}`).toString('base64url');
}

/** The interaction that checks whether an app listens. */
export function ping(context: SimulatorContext): Json {
  const id = context.ids.next();
  return {
    id,
    application_id: context.identity.applicationId,
    type: INTERACTION_TYPE.ping,
    token: tokenFor(context, id),
    version: 1,
  };
}
