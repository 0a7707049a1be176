import { personOf, teamOf } from './identity.ts';
import { presentMessage } from './present.ts';
import { type Channel, type Json, type Message, stringOf } from './state.ts';
import { hashOf, tsOf } from './ticks.ts';
import { typedInCommand } from './typed-text.ts';
import type { SimulatorContext } from './context.ts';

/** The payloads of interactions: the form field `payload`, or the fields of a command. */
export type Interaction = Json;

const RESPONSES = 5;
const RESPONSES_FOR_MS = 30 * 60_000;
const TRIGGER_MS = 3_000;

/** The trigger with which the app may open a view for this person, within three seconds. */
export function trigger(context: SimulatorContext, user: string): string {
  const tick = context.ticks.next();
  const { teamId } = context.identity;
  const id = `${tick}.${hashOf(teamId, 12)}.${hashOf(`${teamId}/${tick}`, 32).toLowerCase()}`;
  context.triggers.set(id, { user, until: context.now() + TRIGGER_MS, spent: false });
  return id;
}

/** A URL by which the app may respond in a channel: five times within half an hour. */
export function responseUrl(context: SimulatorContext, user: string, channel: string, ts?: string): string {
  const tick = context.ticks.next();
  const { teamId } = context.identity;
  const id = hashOf(`${teamId}/${tick}`, 24);
  context.responses.set(id, { channel, ts, user, until: context.now() + RESPONSES_FOR_MS, left: RESPONSES });
  return `${context.options.hooksUrl()}/actions/${teamId}/${tick}/${id}`;
}

const TOKEN = 'simulated-verification-token';

function userIn({ identity }: SimulatorContext, user: string): Json {
  const name = personOf(identity, user)?.name ?? '';
  return { id: user, username: name, name, team_id: teamOf(identity, user) };
}

/** The person and the app. */
export function personIn(context: SimulatorContext, user: string): Json {
  return { user: userIn(context, user), api_app_id: context.identity.appId, token: TOKEN };
}

/** Where the app is installed. */
export function installationOf({ identity }: SimulatorContext): Json {
  const { enterprise, teamId, teamName } = identity;
  const domain = teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  if (!enterprise) return { team: { id: teamId, domain }, enterprise: null, is_enterprise_install: false };
  const { id, name, orgInstall } = enterprise;
  const team = orgInstall ? null : { id: teamId, domain, enterprise_id: id, enterprise_name: name };
  return { team, enterprise: { id, name }, is_enterprise_install: orgInstall };
}

/** Slack does not send the names of private channels. */
const NAMES: Readonly<Partial<Record<Channel['kind'], string>>> = {
  im: 'directmessage',
  group: 'privategroup',
};

export const channelIn = ({ id, kind, name }: Channel): Json => ({ id, name: NAMES[kind] ?? name });

/** The fields of a slash command, which Slack sends as a form. Throws for a command that the app does not have. */
export function command(
  context: SimulatorContext,
  user: string,
  channel: Channel,
  typed: string,
): Interaction {
  const [, name = '', text = ''] = /^(\/\S+)\s*([\s\S]*)$/u.exec(typed) ?? [];
  if (name === '') throw new Error(`No command: ${typed}`);
  const { identity } = context;
  const { commands, enterprise } = identity;
  // Slack sends an app its own commands only.
  if (commands && !commands.includes(name)) throw new Error(`${name} is not a valid command.`);
  const escaped = identity.commandsEscaped ?? true;
  return {
    token: TOKEN,
    team_id: identity.teamId,
    team_domain: identity.teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    ...(enterprise ? { enterprise_id: enterprise.id, enterprise_name: enterprise.name } : {}),
    channel_id: channel.id,
    channel_name: stringOf(channelIn(channel)['name']),
    user_id: user,
    user_name: personOf(identity, user)?.name ?? '',
    command: name,
    text: escaped
      ? typedInCommand(text, { identity, channels: context.state.channels.values(), user })
      : text,
    api_app_id: identity.appId,
    is_enterprise_install: String(enterprise?.orgInstall === true),
    response_url: responseUrl(context, user, channel.id),
    trigger_id: trigger(context, user),
  };
}

/** The payload of a message shortcut. Throws for one that the menu does not have. */
export function shortcut(
  context: SimulatorContext,
  user: string,
  callback: string,
  { channel, message }: { readonly channel: Channel; readonly message: Message },
): Interaction {
  const { shortcuts } = context.identity;
  if (shortcuts && !shortcuts.some(({ callback_id: id }) => id === callback))
    throw new Error(`no such shortcut: ${callback}`);
  return {
    type: 'message_action',
    callback_id: callback,
    // Recorded payloads have no app id.
    user: userIn(context, user),
    token: TOKEN,
    trigger_id: trigger(context, user),
    ...installationOf(context),
    channel: channelIn(channel),
    message_ts: message.ts,
    message: presentMessage(context, message),
    action_ts: tsOf(context.ticks.next()),
    response_url: responseUrl(context, user, channel.id, message.ts),
  };
}
