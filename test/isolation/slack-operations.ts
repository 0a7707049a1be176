import { pressable } from '../simulators/slack/block-ids.ts';
import { blocksAhead, blocksOf } from '../simulators/slack/present.ts';
import { isJson, type Json, type Message, stringOf } from '../simulators/slack/state.ts';
import { ALLOWABLE, saidByBot, someBot } from './other-bots.ts';
import { namesIn, startedVideoIn, videoIn } from './access-checker.ts';
import { type ChooseCommand, type Given, pick, someCommand } from './commands.ts';
import { type ChooseFiles, someFiles, wordsIn } from './media-operations.ts';
import type { Audience } from './access-model.ts';
import { forgedName, type Operation } from './operation.ts';
import {
  actorOf,
  asEvents,
  asForm,
  FORM,
  messagesIn,
  posting,
  RECENT,
  type SlackActor,
  pickActor,
  eventsDuring,
} from './slack-actor.ts';
import { slackName } from './observe-platforms.ts';
import type { IsolationHarness } from './harness.ts';

/** Asks in a channel, in a thread, or in a direct message. */
export function say(harness: IsolationHarness, chooseFiles: ChooseFiles = someFiles): Operation {
  const at = pickActor(harness);
  const { of, user, channel } = at;
  const roots = messagesIn(at).filter(
    (one) => one.thread === undefined && one.ephemeralTo === undefined && !one.tombstone,
  );
  const inThread = harness.random() < 0.6 ? pick(harness.random, roots.slice(-RECENT)) : undefined;
  const audience = { kind: 'conversation' as const, tenant: of.tenant, channel, conversation: '' };
  const marker = harness.checker.plant(audience, user);
  const name = harness.random() < 0.7 ? `@${of.sim.identity.botName} ` : '';
  let ts = '';
  const events = eventsDuring(of, () => {
    const thread = inThread && { thread: inThread.ts };
    const files = chooseFiles(harness, audience, user);
    ts = of.sim.say(user, `${name}what about ${marker}?`, { channel, ...thread, files });
  });
  const root = inThread?.ts ?? ts;
  const bot = someBot(harness, 'slack');
  const actor = { ...actorOf(harness, at, 'say', root), bot };
  audience.conversation = actor.conversation;
  const envelopes = events.map((one) => saidByBot(one, bot));
  return { actor, act: posting(harness, actor, asEvents(envelopes)), detail: `${marker} ${bot ?? ''}` };
}

/** Edits or deletes a message of the same person. */
export function change(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const { of, user, channel } = at;
  const own = messagesIn(at).filter((one) => one.user === user && !one.tombstone);
  const message = pick(harness.random, own.slice(-RECENT));
  if (!message) return undefined;
  const actor = actorOf(harness, at, 'change', message.thread ?? message.ts);
  const { conversation, tenant } = actor;
  const isEdit = harness.random() < 0.6;
  const events = eventsDuring(of, () => {
    if (!isEdit) return of.sim.remove(user, channel, message.ts);
    const name = slackName(tenant, channel, message.ts);
    const here: Audience = { kind: 'conversation', tenant, channel, conversation };
    const marker = harness.checker.plant(harness.addedMessages.audienceOf(name, here), user);
    of.sim.edit(user, channel, message.ts, `@${of.sim.identity.botName} rather ${marker}`);
  });
  return { actor, act: posting(harness, actor, asEvents(events)), detail: isEdit ? 'edit' : 'delete' };
}

function writer(harness: IsolationHarness, at: SlackActor, conversation: string) {
  const { of, user, channel } = at;
  const { tenant } = of;
  const everywhere: Audience = { kind: 'tenant', tenant };
  const own: Audience = { kind: 'person', tenant, user };
  const here: Audience = { kind: 'conversation', tenant, channel, conversation };
  const other = `@${pick(harness.random, of.sim.identity.users)?.name}`;
  return {
    random: harness.random,
    checker: harness.checker,
    user,
    other,
    bot: ALLOWABLE.slack,
    here,
    everywhere,
    own,
    channel,
    channels: [...of.sim.state.channels.keys()],
  };
}

const typed = ({ name, options }: Given): string =>
  [
    '/parley',
    name,
    ...Object.entries(options).map(([key, value]) => {
      const text = value === true ? 'yes' : String(value);
      return key === 'text' && text.startsWith('{')
        ? `text:'${text}'`
        : `${key}:"${text.replaceAll('"', "'")}"`;
    }),
  ].join(' ');

/** Sends a random command. */
export const command = (harness: IsolationHarness): Operation =>
  commandBy(harness, pickActor(harness), someCommand);

/** Sends the command that this person chooses there. */
export function commandBy(harness: IsolationHarness, at: SlackActor, choose: ChooseCommand): Operation {
  const conversation = `call-${harness.nextId()}`;
  const choice = choose(writer(harness, at, conversation));
  const actor = actorOf(harness, at, choice.operation, conversation, choice.secret);
  harness.allowBots(actor, ALLOWABLE.slack);
  const line = typed(choice);
  const fields = at.of.sim.command(at.user, line, at.channel);
  const body = new URLSearchParams(
    Object.entries(fields).map(([key, value]): [string, string] => [key, stringOf(value)]),
  ).toString();
  return { actor, act: posting(harness, actor, [[body, FORM]]), detail: line };
}

/** A message that a person sees, and which of its controls they choose from. */
type ControlChoice = { readonly at: SlackActor; readonly message: Message; readonly action: RegExp };

/** Whether a person sees a message of their channel. A video that a forged control names may be in a channel without that person. */
export const canSee = ({ of, user, channel }: SlackActor, { ephemeralTo }: Message): boolean =>
  of.sim.state.channels.get(channel)?.members.includes(user) === true &&
  (ephemeralTo === undefined || ephemeralTo === user);

/** The messages of the bot that a person sees. */
const visibleToActor = (at: SlackActor): Message[] =>
  messagesIn(at).filter((message) => message.user === at.of.sim.identity.botUserId && canSee(at, message));

/** Clicks a button below an answer or on a card; `forge` changes the action before it is sent. */
export function press(harness: IsolationHarness, forge?: (action: Json) => Json): Operation | undefined {
  const at = pickActor(harness);
  const message = pick(harness.random, visibleToActor(at).slice(-RECENT));
  return message && pressOn(harness, { at, message, action: /(?:)/u }, forge);
}

/** Clicks one of the buttons of a message that match `action`. */
export function pressOn(
  harness: IsolationHarness,
  { at, message, action }: ControlChoice,
  forge?: (action: Json) => Json,
): Operation | undefined {
  const controls = pressable(blocksOf(message)).filter(({ json }) => action.test(JSON.stringify(json)));
  const control = pick(harness.random, controls);
  if (!control) return undefined;
  const options = Array.isArray(control.json['options']) ? control.json['options'].filter(isJson) : [];
  const option = pick(harness.random, options);
  const value = option && { value: stringOf(option['value']) };
  const what = { block: control.block - blocksAhead(message), element: control.element, ...value };
  const payload = at.of.sim.press(at.user, message.ts, what, at.channel);
  const pressed = (Array.isArray(payload['actions']) ? payload['actions'] : []).filter(isJson);
  const actions = forge ? pressed.map(forge) : pressed;
  const text = JSON.stringify(actions);
  const origin = harness.origins.get(slackName(at.of.tenant, at.channel, message.ts));
  const root = message.thread ?? origin?.conversation ?? message.ts;
  const operation = /forget\./u.test(text) ? 'forget' : forge ? forgedName('press', text) : nameOf(text);
  // A forged control does not stand for the conversation it was shown with.
  const isSecret = !forge && origin?.secret === true && origin.user === at.user;
  const startedVideo = startedVideoIn(text);
  const markers = { startedVideo, ...(forge && { forgedNames: namesIn(text), video: videoIn(text) }) };
  const actor = { ...actorOf(harness, at, operation, root, isSecret), ...markers };
  harness.foresee(actor, text, message.text + JSON.stringify(message.blocks ?? []));
  for (const one of actions) harness.keepAction(one);
  return { actor, act: posting(harness, actor, asForm({ ...payload, actions })), detail: text.slice(0, 200) };
}

const nameOf = (text: string): string =>
  /schedule\./u.test(text)
    ? 'schedule pressed'
    : /settings\.|persona\.|model\./u.test(text)
      ? 'setting pressed'
      : /video\./u.test(text)
        ? 'video pressed'
        : /tools\./u.test(text)
          ? 'tools pressed'
          : /summari|about/u.test(text)
            ? 'press about'
            : 'press';

/** Runs a message shortcut. */
export function shortcut(harness: IsolationHarness): Operation | undefined {
  const at = pickActor(harness);
  const messages = messagesIn(at).filter(({ ephemeralTo }) => ephemeralTo === undefined);
  const withFiles = harness.random() < 0.3 ? messages.filter(({ files = [] }) => files.length > 0) : messages;
  const message = pick(harness.random, withFiles.slice(-RECENT));
  const name = pick(harness.random, [
    'why',
    'summarise',
    'export',
    'more-actions-form',
    'ask-about',
    'transcribe',
    'translate',
    'speak',
    'animate-form',
    'forget',
  ]);
  if (!message || name === undefined) return undefined;
  if (name === 'animate-form' && message.files === undefined) return undefined;
  const operation =
    name === 'summarise' || name === 'ask-about'
      ? `press about: ${name}`
      : name === 'export'
        ? 'export thread'
        : name;
  const actor = actorOf(harness, at, operation, message.thread ?? message.ts, name === 'summarise');
  // The draft of the modal contains the message, and the person may export their drafts.
  if (name === 'ask-about' || name === 'animate-form')
    harness.checker.quote(JSON.stringify(message) + wordsIn(at.of.sim.state.files, message.files), at.user);
  const payload = at.of.sim.shortcut(at.user, name, message.ts, at.channel);
  return { actor, act: posting(harness, actor, asForm(payload)), detail: name };
}

/** Submits a modal that a person has open. */
export function submit(harness: IsolationHarness): Operation | undefined {
  const tenants = harness.slack.flatMap((of) =>
    // Each person submits the modal on top of their stack.
    [
      ...new Map(
        [...of.sim.state.views.values()].flatMap((view) =>
          view.kind === 'modal' && view.gone !== true ? [[view.user, { of, view }] as const] : [],
        ),
      ).values(),
    ],
  );
  const open = pick(harness.random, tenants);
  if (!open) return undefined;
  const { of, view } = open;
  const at = { of, user: view.user, channel: of.sim.channel };
  const origin = harness.origins.get(view.id);
  const about = stringOf(view.view['private_metadata']);
  const channel = origin?.channel ?? at.channel;
  const conversation = origin?.conversation ?? `form-${harness.nextId()}`;
  const operation = /settings|persona|model/u.test(about)
    ? 'setting by form'
    : /video\./u.test(about)
      ? 'video by form'
      : /about|asked/u.test(about)
        ? 'form about'
        : 'form';
  const startedVideo = startedVideoIn(about);
  const actor = { ...actorOf(harness, { ...at, channel }, operation, conversation), startedVideo };
  const blocks = Array.isArray(view.view['blocks']) ? view.view['blocks'].filter(isJson) : [];
  const filled: Record<string, string> = {};
  for (const block of blocks) {
    const { element } = block;
    if (block['type'] !== 'input' || !isJson(element) || element['type'] !== 'plain_text_input') continue;
    if (harness.random() < 0.2 && stringOf(element['initial_value']) !== '') continue;
    filled[stringOf(block['block_id'])] = harness
      .fillIn(actor, about)
      .slice(0, Number(element['max_length'] ?? 3_000));
  }
  try {
    const payload = of.sim.submission(view.user, filled);
    of.sim.closeView(view.user);
    return { actor, act: posting(harness, actor, asForm(payload)), detail: about.slice(0, 80) };
  } catch {
    // The Slack client would refuse to send it.
    of.sim.closeView(view.user);
    return undefined;
  }
}
