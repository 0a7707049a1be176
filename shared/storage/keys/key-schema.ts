import * as v from 'valibot';

export const keySchema = v.object({ pk: v.object({ S: v.string() }), sk: v.object({ S: v.string() }) });

export type Key = v.InferOutput<typeof keySchema>;
