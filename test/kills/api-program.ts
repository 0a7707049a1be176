import * as v from 'valibot';

const answerSchema = v.object({
  id: v.string(),
  status: v.picklist(['queued', 'in_progress', 'completed', 'failed']),
  thread: v.nullable(v.string()),
  answer: v.nullable(v.string()),
  error: v.unknown(),
});
export type Answer = v.InferOutput<typeof answerSchema>;

/** What a stream has told a program: its words so far, and the last answer object. `status` is 0 if the system is away. */
export type StreamReading = { status: number; words: string; answer: Answer | undefined };

const REQUEST_MS = 5_000;
/** A stream of a system that was killed ends at once; this only ends one that hangs. */
const STREAM_MS = 30_000;
const deltaSchema = v.object({ delta: v.string() });
const wordsSchema = v.object({ answer: v.string() });

/** A program that uses the HTTP API with one key, as docs/api.md describes it. */
export class ApiProgram {
  readonly #api: string;
  readonly #key: string;

  constructor(api: string, key: string) {
    this.#api = api;
    this.#key = key;
  }

  /** Sends a question. Resolves with its status, and with the answer so far if it was accepted. The status is 0 if the system is away. */
  ask(
    body: object,
    idempotencyKey: string,
  ): Promise<{ readonly status: number; readonly answer?: Answer | undefined }> {
    return this.#read(this.#post(body, idempotencyKey, REQUEST_MS));
  }

  /** Reads the answer so far. Undefined if the system is away, or asks to come again. */
  async read(id: string): Promise<Answer | undefined> {
    return (await this.#read(this.#get(`/${id}`, REQUEST_MS))).answer;
  }

  /** Sends a question, or reads on with its id, by a stream, until it ends or breaks off. Resolves with what it told. */
  async stream(
    question: { readonly id: string } | { readonly body: object; readonly idempotencyKey: string },
  ): Promise<StreamReading> {
    const reading: StreamReading = { status: 0, words: '', answer: undefined };
    const response = await (
      'id' in question
        ? this.#get(`/${question.id}?stream=true`, STREAM_MS)
        : this.#post({ ...question.body, stream: true }, question.idempotencyKey, STREAM_MS)
    ).catch(() => undefined);
    reading.status = response?.status ?? 0;
    if (!response?.ok || !response.body) return reading;
    let rest = '';
    try {
      for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
        const events = (rest + text).split('\n\n');
        rest = events.pop() ?? '';
        for (const event of events) tell(event, reading);
      }
    } catch {
      // It broke off.
    }
    return reading;
  }

  async #read(
    sent: Promise<Response>,
  ): Promise<{ readonly status: number; readonly answer?: Answer | undefined }> {
    const response = await sent.catch(() => undefined);
    const text = await response?.text().catch(() => '');
    const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), answerSchema), text);
    if (!response || (response.ok && !parsed.success)) return { status: 0 };
    return { status: response.status, answer: parsed.success ? parsed.output : undefined };
  }

  #post(body: object, idempotencyKey: string, ms: number): Promise<Response> {
    const headers = {
      ...this.#headers(),
      'content-type': 'application/json',
      'idempotency-key': idempotencyKey,
    };
    const signal = AbortSignal.timeout(ms);
    return fetch(`${this.#api}/v1/ask`, { method: 'POST', headers, body: JSON.stringify(body), signal });
  }

  #get(path: string, ms: number): Promise<Response> {
    return fetch(`${this.#api}/v1/ask${path}`, { headers: this.#headers(), signal: AbortSignal.timeout(ms) });
  }

  #headers(): Record<string, string> {
    return { authorization: `Bearer ${this.#key}` };
  }
}

/** Applies an event of a stream. */
function tell(event: string, reading: StreamReading): void {
  const [, name, json = ''] = /^event: (\S+)\ndata: (.*)$/mu.exec(event) ?? [];
  if (name === undefined) return;
  const data: unknown = JSON.parse(json);
  if (name === 'answer.delta') reading.words += v.parse(deltaSchema, data).delta;
  else if (name === 'answer.replaced') reading.words = v.parse(wordsSchema, data).answer;
  else reading.answer = v.parse(answerSchema, data);
}
