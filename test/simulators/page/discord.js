import { drawLinks } from './links.js';
import { startComposers } from './composer.js';
import { createActions } from './discord-actions.js';
import { openForm } from './discord-form.js';
import { drawForum } from './discord-forum.js';
import { createSend, nonceOf } from './discord-send.js';
import { drawPlaces } from './discord-side.js';
import { createSlash } from './discord-slash.js';
import {
  applyChange,
  channelsFor,
  createState,
  FORUM,
  inChannel,
  loadEverything,
  messagesFor,
  nameOf,
} from './discord-state.js';
import { messageView } from './discord-view.js';
import { element } from './dom.js';
import { createDrafts } from './drafts.js';
import { startDrawer } from './drawer.js';
import { follow } from './feed.js';
import { drawLog, followEnd } from './log.js';
import { ask, notice } from './notice.js';
import { createOutbox } from './outbox.js';
import { authorOf } from './people.js';
import { startTheme } from './theme.js';
import { createUnread } from './unread.js';
import { markUnseen } from './unseen.js';

const state = createState();
/** What the window shows: whose eyes, which channel. It is in the address, so windows can differ. */
const view = { person: '', channel: '', editing: undefined, replying: undefined };
const unread = createUnread();
const byId = (id) => document.getElementById(id);
const slash = createSlash({ state, view, send: (name, options) => command('slash', { name, options }) });

const outbox = createOutbox(drawSoon);
const drafts = createDrafts(byId('composer'));
const act = createActions({ state, view, unread, draw, go, command });
const send = createSend({ view, outbox, drafts, sent: () => act.reply(undefined) });

follow({
  everything({ changes, links }) {
    loadEverything(state, changes);
    drawLinks(links);
    notice();
    readAddress();
    draw();
    byId('app').removeAttribute('aria-busy');
  },
  change(change) {
    if (change.kind === 'message') noteUnread(change.message);
    applyChange(state, change);
    const { interaction } = change;
    if (interaction?.answered === 9 && interaction.user === view.person)
      openForm(state, interaction, view.person, report);
    drawSoon();
  },
  lost: () => notice('The connection to this machine is lost. Trying again…'),
});

/** The address is `#person/channel`. */
function readAddress() {
  const [name, channel] = decodeURIComponent(location.hash.slice(1)).split('/');
  view.person = (state.users.find((user) => user.name === name) ?? state.users[0])?.id ?? '';
  const mine = channelsFor(state, view.person);
  view.channel = (mine.find(({ id }) => id === channel) ?? mine[0])?.id ?? '';
  unread.read(view.person, view.channel);
}

function go(to) {
  const { person, channel } = { ...view, ...to };
  location.hash = `#${state.users.find(({ id }) => id === person)?.name ?? ''}/${channel}`;
}

addEventListener('hashchange', () => {
  readAddress();
  Object.assign(view, { editing: undefined, replying: undefined });
  slash.close();
  draw();
});

/** A message that is not there yet, in a channel that its reader does not look at. */
function noteUnread({ channel, id, author, ephemeralTo }) {
  if (inChannel(state, channel).has(id)) return;
  for (const { id: person } of state.users) {
    const here = person === view.person && channel === view.channel;
    const isVisible = ephemeralTo === undefined || ephemeralTo === person;
    if (person === author || here || !isVisible) continue;
    if (channelsFor(state, person).some((one) => one.id === channel)) unread.add(person, channel);
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
  drawPlaces({ state, view, unread, go, openDm });
  const channel = state.channels.get(view.channel);
  if (!channel) return;
  byId('team').textContent = state.guilds.get(channel.guild)?.name ?? 'Direct messages';
  byId('page-title').textContent = `Simulated Discord: ${byId('team').textContent}`;
  const isForum = channel.type === FORUM;
  const sign = channel.recipient ? '@' : channel.parent ? '⤷ ' : isForum ? '❏ ' : '#';
  byId('channel-title').textContent = `${sign}${nameOf(state, channel)}`;
  byId('channel-note').textContent = noteOf(channel);
  byId('forum').hidden = !isForum;
  for (const id of ['log', 'composer', 'typing']) byId(id).hidden = isForum;
  if (isForum) drawForum(state, channel, { person: view.person, unread, go });
  else drawChannel();
}

function drawChannel() {
  drafts.show(`${view.person}/${view.channel}`);
  const entries = messagesFor(state, view.channel, view.person).map(entryOf);
  drawLog(byId('log'), `${view.person}/${view.channel}`, [...entries, ...unconfirmed()], () =>
    element(
      'section',
      { class: 'welcome' },
      element('h3', {}, 'Nothing was said here yet'),
      element('p', { class: 'faint' }, 'Type / and choose a command, or write a message.'),
    ),
  );
  const typing = (state.typing.get(view.channel) ?? 0) > Date.now();
  byId('typing').textContent = typing ? `${authorOf(state, state.bot.id).realName} is typing…` : '';
  const answered = view.replying && inChannel(state, view.channel).get(view.replying);
  byId('replying').hidden = !answered;
  if (answered)
    byId('replying').textContent = `Replying to ${authorOf(state, answered.author).realName} (Esc ends it)`;
}

function entryOf(message) {
  const isNews = unread.has(view.person, message.id);
  const editing = view.editing === message.id;
  return {
    message,
    sign: [
      editing,
      isNews,
      state.channels.get(message.id),
      state.messages.get(message.id)?.size,
      state.commands.get('global'),
      ...message.files.map((id) => state.files.get(id)),
    ],
    view: () => messageView(state, message, { person: view.person, editing, act }),
    // What others said or changed, and a thread below it in which they did.
    news: () => {
      const { author, content, embeds, components, files, flags } = message;
      const words = JSON.stringify([content, embeds, components, files, flags]);
      return [
        author === view.person ? undefined : words,
        isNews ? state.messages.get(message.id)?.size : undefined,
      ];
    },
  };
}

/** What this person has sent to the channel and nobody has confirmed yet. */
function unconfirmed() {
  const arrived = new Set([...inChannel(state, view.channel).values()].map(({ nonce }) => nonce));
  return outbox.entries(view.person, authorOf(state, view.person), view.channel, (id) =>
    arrived.has(nonceOf(id)),
  );
}

function noteOf(channel) {
  if (channel.recipient) return 'Only you and the bot';
  if (state.guilds.get(channel.guild)?.installed === false)
    return 'The bot is not in this server: you use it as an app of your own';
  if (channel.type === FORUM) return 'A forum: each post is a thread';
  if (channel.parent) return channel.locked ? 'This thread is locked' : 'A thread';
  return 'Type / for commands, or mention @parley';
}

/** Tells of an app that did not answer as it should. */
function report(outcome) {
  if (outcome?.acknowledged === false)
    notice(
      `⚠ The application did not respond (${outcome.reason.replace('_', ' ')}${outcome.detail ? `: ${JSON.stringify(outcome.detail)}` : ''})`,
      15_000,
    );
}

async function command(action, body) {
  const outcome = await ask(action, { user: view.person, channel: view.channel, ...body });
  report(outcome);
  return outcome !== undefined;
}

async function openDm() {
  const answer = await ask('dm', { user: view.person });
  if (answer) go({ channel: answer.id });
}

startComposers(
  [byId('composer')],
  () => state.bot.name,
  (form) => (slash.offer(byId('composer-text').value.trim()) ? slash.first() : send(form)),
);
startTheme(byId('theme'));
startDrawer({ side: byId('side'), button: byId('side-open'), scrim: byId('scrim') });
followEnd(byId('log'));
markUnseen(byId('log'));
byId('composer-text').addEventListener('input', ({ target }) => slash.offer(target.value));
byId('composer')
  .querySelector('[data-slash]')
  .addEventListener('click', () => {
    byId('composer-text').value = '/';
    byId('composer-text').focus();
    slash.offer('/');
  });
// A command that a message mentions (`</ask:1>`) is put where commands are given.
byId('log').addEventListener('click', ({ target }) => {
  const name = target.closest('[data-command]')?.dataset.command;
  if (name !== undefined) slash.open(name);
});
addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  slash.close();
  act.reply(undefined);
});
setInterval(drawSoon, 3_000);
