import { expect, test } from '@jest/globals';
import { parseEvent } from '../../../../shared/platforms/slack/inbound/parse-event.ts';

const FILE = { id: 'F1', name: 'a.txt', mimetype: 'text/plain', size: 1 };

function read(event: object) {
  const place = { channel: 'C1', ts: '1700000000.000100', user: 'U1', text: '<@UBOT> hello' };
  const body = { team_id: 'T1', api_app_id: 'A1', event: { ...place, ...event } };
  return parseEvent(body, { botUserId: 'UBOT' });
}

test('a mention that lists no files may have some, also after an edit; a message lists all of them', () => {
  const type = 'app_mention';
  expect(read({ type })).toMatchObject({
    chatEvent: { kind: 'message', message: { attachments: [], mayHaveFiles: true } },
  });
  expect(read({ type, edited: { ts: '1700000009.000100' } })).toMatchObject({
    chatEvent: { kind: 'message-edited', message: { attachments: [], mayHaveFiles: true } },
  });
  expect(read({ type, files: [FILE] })).toMatchObject({
    chatEvent: { message: { attachments: [{ id: 'F1' }], mayHaveFiles: undefined } },
  });
  expect(read({ type: 'message', channel_type: 'channel' })).toMatchObject({
    chatEvent: { message: { attachments: [], mayHaveFiles: undefined } },
  });
});
