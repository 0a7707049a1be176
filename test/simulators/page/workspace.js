/** What the page knows of the workspace: the sum of the changes that the server told. */
export function createState() {
  return {
    teamName: '',
    bot: { id: '', name: 'parley' },
    users: [],
    /** What the app has in the menu of a message. */
    shortcuts: [],
    channels: new Map(),
    messages: new Map(),
    statuses: new Map(),
    sessions: new Map(),
    files: new Map(),
    /** Modals that are open, and App Homes. */
    views: new Map(),
    /** The app listens to Slack's own Stop, which is therefore shown. */
    stoppable: false,
  };
}

/** Starts over with everything that the server has. */
export function loadEverything(state, { teamName, bot, users, shortcuts = [], stoppable, changes }) {
  Object.assign(state, { teamName, bot, users, shortcuts, stoppable });
  for (const map of [
    state.channels,
    state.messages,
    state.statuses,
    state.sessions,
    state.files,
    state.views,
  ])
    map.clear();
  for (const change of changes) applyChange(state, change);
}

/** Adds one change. */
export function applyChange(state, change) {
  if (change.kind === 'channel') state.channels.set(change.channel.id, change.channel);
  if (change.kind === 'message')
    inChannel(state, change.message.channel).set(change.message.ts, change.message);
  if (change.kind === 'removal') inChannel(state, change.channel).delete(change.ts);
  if (change.kind === 'growth') {
    const message = inChannel(state, change.channel).get(change.ts);
    if (message)
      inChannel(state, change.channel).set(change.ts, { ...message, text: message.text + change.text });
  }
  if (change.kind === 'file') state.files.set(change.file.id, change.file);
  if (change.kind === 'view') {
    if (change.view.gone) state.views.delete(change.view.id);
    else state.views.set(change.view.id, change.view);
  }
  if (change.kind === 'session')
    state.sessions.set(`${change.session.channel}/${change.session.thread}`, change.session);
  if (change.kind === 'status') {
    const key = `${change.status.channel}/${change.status.thread}`;
    if (change.status.words === '') state.statuses.delete(key);
    else state.statuses.set(key, change.status);
  }
}

function inChannel(state, channel) {
  if (!state.messages.has(channel)) state.messages.set(channel, new Map());
  return state.messages.get(channel);
}

/** What stands in a channel itself, for this person, with the replies to each. */
export function topLevel(state, channel, person) {
  const replies = new Map();
  const top = [];
  for (const message of inChannel(state, channel).values()) {
    if (!isVisible(message, person)) continue;
    if (message.thread === undefined) top.push(message);
    else replies.set(message.thread, [...(replies.get(message.thread) ?? []), message]);
  }
  return top.map((message) => ({ message, replies: replies.get(message.ts) ?? [] }));
}

/** A thread's root and replies, for this person; empty when the root is gone. */
export function threadOf(state, channel, root, person) {
  const first = inChannel(state, channel).get(root);
  if (!first) return [];
  const rest = [...inChannel(state, channel).values()].filter(
    (one) => one.thread === root && isVisible(one, person),
  );
  return [first, ...rest];
}

/** The passing words under a thread, if they still hold. */
export function statusOf(state, channel, root, now) {
  const status = state.statuses.get(`${channel}/${root}`);
  return status && status.until > now ? status : undefined;
}

/** True while the bot still writes. Slack ends a stream five minutes after its start. */
export function isStreaming(message, now) {
  return message.stream?.open === true && now - message.stream.startedAt < 300_000;
}

/** The message as a person sees it: of a stream in a channel, who did not ask sees what it began with until it is finished. */
export function asSeenBy(message, person, now) {
  const { recipient, beganWith } = message.stream ?? {};
  if (!beganWith || recipient === person || !isStreaming(message, now)) return message;
  const { text: _text, steps: _steps, plan: _plan, blocks: _blocks, ...rest } = message;
  return { ...rest, ...beganWith };
}

/** True while there is something in a thread that Slack's own Stop would end. */
export function isStoppable(state, channel, root, now) {
  if (!state.stoppable || root === undefined) return false;
  const session = state.sessions.get(`${channel}/${root}`);
  if (session?.covered) return false;
  if (session?.status === 'processing') return true;
  const messages = [...inChannel(state, channel).values()];
  return messages.some((one) => (one.thread ?? one.ts) === root && isStreaming(one, now));
}

/** Whether a person sees a message: some are for one alone. */
export const isVisible = (message, person) =>
  message.ephemeralTo === undefined || message.ephemeralTo === person;

/** The words as the person typed them: names for ids, addresses and signs as they are. */
export function typedAgain(state, text) {
  const name = (id) =>
    id === state.bot.id ? state.bot.name : state.users.find((user) => user.id === id)?.name;
  return text
    .replaceAll(/<@([A-Z0-9]+)>/g, (mark, id) => (name(id) ? `@${name(id)}` : mark))
    .replaceAll(/<(https?:[^>|]+)>/g, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
