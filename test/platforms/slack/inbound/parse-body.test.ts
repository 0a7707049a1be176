import { expect, test } from '@jest/globals';
import { readEnvelope } from '../../../../shared/platforms/slack/inbound/parse-body.ts';

const BODY = { type: 'url_verification', challenge: 'c', token: 't' };
const read = (text: string, contentType?: string) => readEnvelope(Buffer.from(text), contentType);

test('a body is parsed as JSON or as a form, and nothing else is accepted', () => {
  const json = JSON.stringify(BODY);
  const form = `payload=${encodeURIComponent(json)}`;
  for (const type of [undefined, 'application/json', 'Application/JSON; charset=utf-8']) {
    expect(read(json, type)).toBeDefined();
  }
  expect(read(form, 'text/plain')).toBeUndefined();
  expect(read(form, 'multipart/form-data')).toBeUndefined();
  expect(read(json, 'text/json')).toBeUndefined();
});
