import { takeFiles, uploadOf } from './attach.js';
import { notice, request } from './notice.js';

/** Discord takes nonces of at most 25 characters. */
export const nonceOf = (id) => id.replaceAll('-', '').slice(0, 24);

const withType = async (file) =>
  file.spoken ? uploadOf(file) : { ...(await uploadOf(file)), contentType: file.type };

/** Sends what is in the message box, as a reply if the person chose a message to answer. */
export function createSend({ view, outbox, drafts, sent }) {
  return (form) => {
    // Nothing is known yet: what was written stays in the box.
    if (!view.channel) return notice('Not sent: this page is still connecting. Try again.', 5_000);
    const area = form.querySelector('textarea');
    const text = area.value.trim();
    const files = takeFiles(form);
    if (text === '' && files.length === 0) return undefined;
    const { person: user, channel, replying } = view;
    area.value = '';
    outbox.add({
      person: user,
      place: channel,
      text,
      files,
      edit: () => drafts.restore(`${user}/${channel}`, text, files),
      async send(id) {
        const uploads = await Promise.all(files.map(withType));
        const reply = replying ? { replyTo: replying } : {};
        const { error } = await request('say', {
          user,
          channel,
          text,
          nonce: nonceOf(id),
          files: uploads,
          ...reply,
        });
        return { error };
      },
    });
    sent();
    return undefined;
  };
}
