import { parentPort, workerData } from 'node:worker_threads'
import { processUpload } from './process-upload.ts'
import type { UploadJob } from './processed.ts'

// One upload per thread: worker.ts starts it with the job and ends it after the answer.
parentPort?.postMessage(await processUpload(workerData as UploadJob))
