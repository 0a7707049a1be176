import { speakDigits } from '../simulators/upstream/speech/tones.ts';
import { writeWav } from '../simulators/upstream/speech/wav.ts';
import { user } from '../simulators/upstream/test-client.ts';

const PLACE = { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] };
/** A request that makes the simulator call a tool without a forced choice. The name of the tool is two tokens. */
export const WEATHER_CALL = {
  messages: [user('What is the weather in Oslo?')],
  tools: [{ type: 'function', function: { name: 'get_weather', parameters: PLACE } }],
};
/** The same for the client. */
export const WEATHER_QUESTION = {
  messages: [{ role: 'user', content: 'What is the weather in Oslo?' }],
  tools: [{ name: 'get_weather', parameters: PLACE }],
} as const;

/** A stored video with as little in it as possible. */
export const VIDEO = { video_id: 'v-1', url: 'https://storage.example/v-1?signature=x' };

/** A job's handle whose links lead to `origin`. */
export const HANDLE = (origin: string, status = 'IN_QUEUE') => ({
  request_id: 'r-1',
  status,
  status_url: `${origin}/v2/inference/requests/r-1/status`,
  response_url: `${origin}/v2/inference/requests/r-1`,
  cancel_url: `${origin}/v2/inference/requests/r-1/cancel`,
});

/** A WAV file in which the simulator hears these digits. */
export function recording(digits: readonly number[] = [1, 2], rate = 16_000): Buffer {
  return writeWav(speakDigits(digits, { rate }), rate);
}

/** The documented error body. */
export function errorBody(type: string, code: string | null = null, param: string | null = null) {
  return { error: { message: 'No.', type, code, param } };
}
