import { takeFiles, uploadOf } from './attach.js';
import { notice, request } from './notice.js';

/** Under what the outbox and the drafts know a conversation. */
export const placeOf = ({ channel, thread }, inThread) => `${channel}/${inThread ? thread : ''}`;

/** Sends what is in a message box. `opened` is told of a question that got a thread of its own. */
export function createSend({ state, view, outbox, drafts, opened }) {
  return (form) => {
    // Nothing is known yet: what was written stays in the box.
    if (!view.channel) return notice('Not sent: this page is still connecting. Try again.', 5_000);
    const area = form.querySelector('textarea');
    const text = area.value.trim();
    const files = takeFiles(form);
    if (text === '' && files.length === 0) return undefined;
    const inThread = form.dataset.place === 'thread';
    const where = { user: view.person, channel: view.channel };
    const place = placeOf(view, inThread);
    const thread = inThread ? { thread: view.thread } : {};
    area.value = '';
    const isCommand = text.startsWith('/') && files.length === 0 && !inThread;
    const isQuestion = !inThread && isForBot(state, view.channel, text);
    outbox.add({
      person: view.person,
      place,
      text,
      files,
      edit: () => drafts[form.dataset.place].restore(`${where.user}/${place}`, text, files),
      async send(id) {
        if (isCommand) return command({ ...where, text });
        const uploads = files.length > 0 ? { files: await Promise.all(files.map(uploadOf)) } : {};
        const { answer, error } = await request('say', { ...where, ...thread, text, id, ...uploads });
        const stillHere = view.person === where.user && view.channel === where.channel;
        if (answer && isQuestion && stillHere) opened(answer.ts);
        return { error };
      },
    });
    return undefined;
  };
}

const isForBot = (state, channel, text) =>
  state.channels.get(channel)?.kind === 'im' || new RegExp(`@${state.bot.name}\\b`, 'i').test(text);

/** A command is seen by nobody; only its answer is. */
async function command(body) {
  const { answer, error } = await request('command', body);
  if (answer?.acknowledged === false) notice(`⚠ ${body.text.split(' ')[0]} did not answer.`, 15_000);
  return { error };
}
