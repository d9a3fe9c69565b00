// SPDX-FileCopyrightText: 2026 The revisit authors
// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime as one of the child processes of run.py: the protocol of bench/rival_server.cpp.
// usage: node ort_server.mjs graph=FILE input=FILE size=HxW threads=N [passive=1]
import {readFileSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';

const say = (answer) => process.stdout.write(JSON.stringify(answer) + '\n');
const option = Object.fromEntries(process.argv.slice(2).map((word) => {
  const equals = word.indexOf('=');
  return [word.slice(0, equals), word.slice(equals + 1)];
}));

async function serve() {
  const {default: ort} = await import('onnxruntime-node');
  const session = await ort.InferenceSession.create(option.graph, {
    executionProviders: ['cpu'],
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    intraOpNumThreads: Number(option.threads),
    interOpNumThreads: 1,
    ...(option.passive ? {extra: {session: {intra_op: {allow_spinning: '0'}}}} : {}),
  });
  const [height, width] = option.size.split('x').map(Number);
  const bytes = readFileSync(option.input);
  const values = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const feeds = {[session.inputNames[0]]: new ort.Tensor('float32', values, [1, 3, height, width])};

  const timed = async () => {
    const start = performance.now();
    const results = await session.run(feeds);
    return {ms: performance.now() - start, tokens: results[session.outputNames[0]]};
  };
  say({version: ort.env.versions.node ?? ort.env.versions.common, threads: Number(option.threads)});
  for await (const line of createInterface({input: process.stdin})) {
    const {ms, tokens} = await timed();
    if (line.startsWith('tokens ')) {
      const {buffer, byteOffset, byteLength} = tokens.data;
      writeFileSync(line.slice('tokens '.length), new Uint8Array(buffer, byteOffset, byteLength));
    }
    say({ms});
  }
}

serve().catch((error) => {
  say({error: String(error.message ?? error)});
  process.exitCode = 1;
});
