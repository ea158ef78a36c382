# The published package on Node.js 24. Without arguments it speaks MCP over stdio; `serve` is the service over HTTP.
FROM node:24-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
# Nothing that is built here needs an install script.
RUN npm ci --ignore-scripts
COPY . .
RUN node src/dev/build.ts

FROM node:24-slim
COPY --from=build /build/dist /opt/tracegate
# The place of the token file and of source maps: mount a volume there. `/work` is for reports and source maps that
# tools may read.
RUN install -d -o node -g node /data /work
# With an arena for each of its threads, the allocator of glibc keeps 30 MB of freed memory more (src/decisions/081).
ENV NODE_ENV=production TRACEGATE_DATA_DIR=/data MALLOC_ARENA_MAX=2
WORKDIR /work
USER node
EXPOSE 4319
ENTRYPOINT ["node", "/opt/tracegate/tracegate.js"]
