import { drawLinks } from './links.js';
import { drawModal } from './modal.js';
import { startComposers, welcome } from './composer.js';
import { createDrafts } from './drafts.js';
import { startDrawer } from './drawer.js';
import { follow } from './feed.js';
import { drawLog, followEnd } from './log.js';
import { drawHome } from './home.js';
import { channelsFor, drawSide, HOME } from './side.js';
import { startTheme } from './theme.js';
import { ask, notice } from './notice.js';
import { createOutbox } from './outbox.js';
import { authorOf, titleOf } from './people.js';
import { createActions } from './slack-actions.js';
import { createSend, placeOf } from './slack-send.js';
import { createUnread } from './unread.js';
import { markUnseen } from './unseen.js';
import { messageView, statusView } from './view.js';
import {
  applyChange,
  createState,
  isStoppable,
  isStreaming,
  isVisible,
  loadEverything,
  statusOf,
  threadOf,
  topLevel,
} from './workspace.js';

const state = createState();
/** What the window shows: whose eyes, which channel, which thread. It is in the address, so windows can differ. */
const view = { person: '', channel: '', thread: undefined, editing: undefined };
const unread = createUnread();
/** The field to type in next, as soon as it can be seen: what was said comes back by the feed. */
let toFocus;
const byId = (id) => document.getElementById(id);

const outbox = createOutbox(drawSoon);
const drafts = {
  channel: createDrafts(byId('composer')),
  thread: createDrafts(byId('thread-composer')),
};
const send = createSend({
  state,
  view,
  outbox,
  drafts,
  opened(thread) {
    toFocus = 'thread-text';
    go({ thread });
  },
});
const act = createActions({ view, draw });

follow({
  everything(everything) {
    loadEverything(state, everything);
    drawLinks(everything.links);
    notice();
    readAddress();
    draw();
    byId('app').removeAttribute('aria-busy');
  },
  change(change) {
    if (change.kind === 'message') noteUnread(change.message);
    applyChange(state, change);
    drawSoon();
  },
  notice: (words) => notice(words, 20_000),
  lost: () => notice('The connection to this machine is lost. Trying again…'),
});

/** The address is `#person/channel/thread`. */
function readAddress() {
  const before = `${view.person}/${view.channel}`;
  const [name, channel, thread] = decodeURIComponent(location.hash.slice(1)).split('/');
  const person = state.users.find((user) => user.name === name) ?? state.users[0];
  view.person = person?.id ?? '';
  const mine = channelsFor(state, view.person);
  view.channel = channel === HOME ? HOME : ((mine.find((one) => one.id === channel) ?? mine[0])?.id ?? '');
  // The app is told each time that somebody opens its Home.
  if (channel === HOME && before !== `${person?.id}/${HOME}`) void ask('home', { user: view.person });
  view.thread = thread;
  unread.read(view.person, view.channel);
  unread.read(view.person, `${view.channel}/${view.thread}`);
}

function go(to) {
  const { person, channel, thread } = { ...view, ...to };
  const name = state.users.find((user) => user.id === person)?.name ?? '';
  const hash = `#${[name, channel, thread].filter(Boolean).join('/')}`;
  if (location.hash === hash) return;
  location.hash = hash;
}

addEventListener('hashchange', () => {
  readAddress();
  draw();
});

/** A message that is not there yet, in a place that its reader does not look at. */
function noteUnread(message) {
  const { channel, ts, user, thread } = message;
  if (state.messages.get(channel)?.has(ts)) return;
  for (const { id } of state.users) {
    const theirs = channelsFor(state, id).some((one) => one.id === channel);
    if (id === user || !theirs || !isVisible(message, id)) continue;
    const here = id === view.person && channel === view.channel;
    if (thread !== undefined && !(here && view.thread === thread)) unread.add(id, `${channel}/${thread}`);
    if (!here) unread.add(id, channel);
  }
}

let drawing = false;

function drawSoon() {
  if (drawing) return;
  drawing = true;
  requestAnimationFrame(() => {
    drawing = false;
    draw();
  });
}

function draw() {
  byId('team').textContent = state.teamName;
  drawSide({ state, view, unread, go, become });
  drawModal(state, view.person);
  const atHome = view.channel === HOME;
  byId('page-title').textContent = `Simulated Slack: ${state.teamName}`;
  byId('home').hidden = !atHome;
  for (const id of ['channel-log', 'composer']) byId(id).hidden = atHome;
  if (atHome) return home();
  const channel = state.channels.get(view.channel);
  if (!channel) return undefined;
  const direct = channel.kind === 'im';
  const title = titleOf(state, channel, view.person);
  byId('channel-title').textContent = `${channel.kind === 'channel' ? '#' : ''}${title}`;
  byId('channel-title').classList.toggle('private', channel.kind === 'group');
  byId('channel-note').textContent = direct
    ? 'No mention needed here: Parley answers everything you send'
    : `Mention @parley to ask; go on in the thread${channel.connected ? ' · shared with another company' : ''}`;
  const now = Date.now();
  drafts.channel.show(`${view.person}/${placeOf(view, false)}`);
  const entries = topLevel(state, view.channel, view.person).map((one) => channelEntry(one, now));
  drawLog(byId('channel-log'), `${view.person}/${view.channel}`, [...entries, ...unconfirmed(false)], () =>
    welcome(byId('composer-text'), direct),
  );
  return drawThread(channel, now);
}

function home() {
  byId('channel-title').textContent = 'App Home';
  byId('channel-title').classList.remove('private');
  byId('channel-note').textContent = 'What Parley shows you alone';
  byId('thread').hidden = true;
  document.body.classList.remove('with-thread');
  drawHome(state, view.person, byId('home'));
}

/** In one of the two panes: a message may be shown in both. */
const isEdited = (message, log) => view.editing === `${log}/${message.ts}`;
const how = (message, now, log) => ({
  now,
  person: view.person,
  editing: isEdited(message, log),
  act: { ...act, ...act.editingIn(log) },
});
const signOf = (message, log) => [
  isEdited(message, log),
  ...(message.files ?? []).map((id) => state.files.get(id)),
];

/** What of a message others want to know of: its words and cards, not who reacted to it. */
const newsOf = (message) =>
  message.user === view.person
    ? undefined
    : JSON.stringify([message.text, message.blocks, message.steps, message.files, message.tombstone]);

function channelEntry({ message, replies }, now) {
  const last = replies.at(-1);
  const isNews = unread.has(view.person, `${message.channel}/${message.ts}`);
  return {
    message,
    sign: [
      replies.length,
      last?.ts,
      isNews,
      replies.some((one) => isStreaming(one, now)),
      statusOf(state, message.channel, message.ts, now),
      ...signOf(message, 'channel-log'),
    ],
    view: () =>
      messageView(state, message, {
        replies,
        openThread: (thread) => go({ thread }),
        isNews,
        ...how(message, now, 'channel-log'),
      }),
    news: () => [newsOf(message), isNews ? last?.ts : undefined],
  };
}

/** What this person has sent to a place and nobody has confirmed yet. */
function unconfirmed(inThread) {
  const arrived = new Set([...(state.messages.get(view.channel)?.values() ?? [])].map((one) => one.clientId));
  return outbox.entries(view.person, authorOf(state, view.person), placeOf(view, inThread), (id) =>
    arrived.has(id),
  );
}

function drawThread(channel, now) {
  const messages = view.thread ? threadOf(state, view.channel, view.thread, view.person) : [];
  const pane = byId('thread');
  const hadFocus = pane.contains(document.activeElement);
  pane.hidden = messages.length === 0;
  document.body.classList.toggle('with-thread', messages.length > 0);
  if (pane.hidden) {
    if (hadFocus) byId('composer-text').focus();
    return;
  }
  // Whoever is writing the next message already goes on with it.
  if (toFocus && byId('composer-text').value === '') byId(toFocus).focus();
  toFocus = undefined;
  byId('thread-note').textContent =
    channel.kind === 'channel' ? `#${channel.name}` : titleOf(state, channel, view.person);
  const place = `${view.person}/${view.channel}/${view.thread}`;
  drafts.thread.show(`${view.person}/${placeOf(view, true)}`);
  const entries = messages.map((message) => ({
    message,
    sign: [isStreaming(message, now), ...signOf(message, 'thread-log')],
    view: () => messageView(state, message, how(message, now, 'thread-log')),
    news: () => [newsOf(message)],
  }));
  drawLog(byId('thread-log'), place, [...entries, ...unconfirmed(true)]);
  const joined = channel.kind === 'im' || messages.some((one) => one.user === state.bot.id);
  byId('thread-text').placeholder = joined ? 'Reply, no mention needed' : 'Reply, or mention @parley';
  byId('stop').hidden = !isStoppable(state, view.channel, view.thread, now);
  const status = statusOf(state, view.channel, view.thread, now);
  byId('thread-status').replaceChildren(...(status ? statusView(state, status) : []));
}

function become(person) {
  const channel = state.channels.get(view.channel);
  const direct = channel?.kind === 'im';
  const to = direct ? channelsFor(state, person).find((one) => one.kind === 'im')?.id : view.channel;
  go({ person, channel: to ?? view.channel, thread: direct ? undefined : view.thread });
}

startComposers(document.querySelectorAll('form.composer'), () => state.bot.name, send);
startTheme(byId('theme'));
startDrawer({ side: byId('side'), button: byId('side-open'), scrim: byId('scrim') });
for (const id of ['channel-log', 'thread-log']) {
  followEnd(byId(id));
  markUnseen(byId(id));
}

addEventListener('keydown', (event) => {
  // A form or a menu above the page has its own use for Escape.
  if (event.key === 'Escape' && view.thread && !document.querySelector('dialog[open]')) {
    go({ thread: undefined });
    byId('composer-text').focus();
  }
  const person = event.altKey ? state.users[Number(event.key) - 1] : undefined;
  if (person) {
    event.preventDefault();
    become(person.id);
  }
});
byId('stop').addEventListener('click', () => {
  void ask('stop', { user: view.person, channel: view.channel, ts: view.thread });
});
byId('thread-close').addEventListener('click', () => {
  go({ thread: undefined });
  byId('composer-text').focus();
});

/** A status that ran out, or a sealed stream, is seen without a change. */
setInterval(drawSoon, 5_000);
