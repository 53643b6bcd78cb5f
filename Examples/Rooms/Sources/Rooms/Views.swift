#if canImport(SwiftUI)
    import SwiftUI
    import TangoUI

    /// The rooms of the chat.
    public struct RoomsView: View {
        private let chat: Chat
        @State private var rooms: RequestModel<[Room]>

        public init(chat: Chat) {
            self.chat = chat
            _rooms = State(initialValue: RequestModel { chat.rooms() })
        }

        public var body: some View {
            NavigationStack {
                List(rooms.value ?? []) { room in
                    NavigationLink(value: room) {
                        VStack(alignment: .leading) {
                            Text(room.name).font(.headline)
                            Text(room.topic).foregroundStyle(.secondary)
                        }
                    }
                }
                .overlay {
                    if rooms.isLoading && rooms.value == nil { ProgressView() }
                    if let error = rooms.error { Text(error.localizedDescription) }
                }
                .navigationTitle("Rooms")
                .navigationDestination(for: Room.self) { room in RoomView(room, of: chat) }
                .task { await rooms.load() }
                .refreshable { await rooms.load() }
            }
        }
    }

    /// The messages of a room, and a field for the next one.
    public struct RoomView: View {
        @State private var model: RoomModel
        @State private var text = ""
        @State private var attempt = 0

        public init(_ room: Room, of chat: Chat) {
            _model = State(initialValue: RoomModel(room, of: chat))
        }

        public var body: some View {
            List {
                if model.hasEarlier { ProgressView().task { await model.loadEarlier() } }
                ForEach(model.messages) { message in MessageRow(message: message) }
                ForEach(model.drafts) { draft in DraftRow(draft: draft, model: model) }
            }
            .defaultScrollAnchor(.bottom)
            .navigationTitle(model.room.name)
            .safeAreaInset(edge: .top) { ConnectionBanner(model: model) { attempt += 1 } }
            .safeAreaInset(edge: .bottom) {
                TextField("Message", text: $text)
                    .onSubmit(send)
                    .textFieldStyle(.roundedBorder)
                    .padding()
            }
            .task(id: attempt) { await model.follow() }
        }

        private func send() {
            guard !text.isEmpty else { return }
            let message = text
            text = ""
            // This task goes on when the view disappears, so that the message is sent.
            Task { await model.send(message) }
        }
    }

    struct MessageRow: View {
        let message: Message

        var body: some View {
            VStack(alignment: .leading) {
                Text(message.author).font(.caption).foregroundStyle(.secondary)
                Text(message.text)
            }
        }
    }

    struct DraftRow: View {
        let draft: RoomModel.Draft
        let model: RoomModel

        var body: some View {
            HStack {
                Text(draft.text).foregroundStyle(.secondary)
                if let problem = draft.problem {
                    Text(problem).font(.caption)
                    Button("Try again") { Task { await model.retry(draft) } }
                    Button("Discard") { model.discard(draft) }
                } else {
                    ProgressView()
                }
            }
        }
    }

    struct ConnectionBanner: View {
        let model: RoomModel
        let connect: @MainActor () -> Void

        var body: some View {
            switch model.connection {
            case .live: EmptyView()
            case .connecting, .reconnecting: Text("Connecting…")
            case .closed: Button(model.problem ?? "Not connected", action: connect)
            }
        }
    }
#endif
