#if canImport(SwiftUI)
    import Rooms
    import SwiftUI

    struct RoomsView_Previews: PreviewProvider {
        static var previews: some View {
            RoomsView(chat: .preview)
        }
    }
#endif
