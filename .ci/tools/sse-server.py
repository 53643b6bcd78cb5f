"""A server for event streams, of sse-starlette and uvicorn. Prints its port, and serves until it is terminated."""

import asyncio
import socket

import uvicorn
from sse_starlette import EventSourceResponse, ServerSentEvent
from starlette.applications import Starlette
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

connections = {"open": 0, "closed": 0}


async def events(request):
    """Three events after the last one, then the end of the connection; 204 after nine."""
    last = int(request.headers.get("last-event-id", "0"))
    if last >= 9:
        return Response(status_code=204)

    async def produce():
        for number in range(last + 1, last + 4):
            yield {"id": str(number), "event": "update", "data": '{"id":\n %d}' % number, "retry": 100}

    return EventSourceResponse(produce())


async def endless(request):
    """Events without an end, with pings between them."""

    async def produce():
        connections["open"] += 1
        try:
            number = 0
            while True:
                number += 1
                yield ServerSentEvent(data="event %d" % number)
                await asyncio.sleep(0.01)
        finally:
            connections["closed"] += 1

    return EventSourceResponse(produce(), ping=1)


async def silent(request):
    """Only pings, ended by carriage returns."""

    async def produce():
        await asyncio.sleep(1.5)
        yield {"data": "first\nsecond"}

    return EventSourceResponse(produce(), ping=1, sep="\r")


async def rows(request):
    async def produce():
        for number in range(1000):
            yield '{"id": %d}\n' % number

    return StreamingResponse(produce(), media_type="application/x-ndjson")


async def state(request):
    return JSONResponse(connections)


app = Starlette(
    routes=[
        Route("/events", events),
        Route("/endless", endless),
        Route("/silent", silent),
        Route("/rows", rows),
        Route("/state", state),
    ]
)

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
uvicorn.Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1)).run(sockets=[listener])
