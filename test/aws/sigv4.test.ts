import { expect, test } from '@jest/globals';
import aws4 from 'aws4';
import * as fc from 'fast-check';
import { signHeaders } from '../../shared/aws/sigv4.ts';

const word = fc.stringMatching(/^[a-zA-Z0-9/+=_.-]{1,40}$/u);
const requests = fc.record({
  service: fc.constantFrom('dynamodb', 'sqs', 'secretsmanager', 'kms'),
  region: fc.constantFrom('eu-central-1', 'cn-north-1', 'us-gov-west-1'),
  host: fc.constantFrom('sqs.eu-central-1.amazonaws.com', '127.0.0.1:4000'),
  path: fc.constantFrom('/', '/123456789012/tasks.fifo'),
  headers: fc.record({
    'content-type': fc.constantFrom('application/x-amz-json-1.0', 'application/x-amz-json-1.1'),
    'x-amz-target': word,
  }),
  body: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 300 }),
});
const credentials = fc.record(
  // Few secrets, so that a key that was kept for another day, region or service would be found out.
  { accessKeyId: word, secretAccessKey: fc.constantFrom('one', 'an/other'), sessionToken: word },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const moments = fc.date({ min: new Date('2015-01-01'), max: new Date('2099-01-01'), noInvalidDate: true });

test('the signature equals that of another implementation', () => {
  fc.assert(
    fc.property(requests, credentials, moments, (request, access, now) => {
      const ours = signHeaders(request, access, now);
      const date = { 'X-Amz-Date': ours['x-amz-date'] ?? '' };
      const theirs = aws4.sign(
        { ...request, method: 'POST', headers: { ...request.headers, ...date } },
        access,
      );
      expect(ours['authorization']).toBe(theirs.headers['Authorization']);
    }),
  );
});
